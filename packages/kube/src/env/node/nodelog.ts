import { type Logger, pino } from 'pino'
import { printableLines } from '../../object/printable.ts'
import type { Log, LogFields } from '../env.ts'

/** JSON lines on standard error: standard output belongs to data. */
export function nodeLog(level: 'debug' | 'info' | 'warn' | 'error' | 'silent'): Log {
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'msg',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ dest: 2, sync: true }),
  )
  return over(logger)
}

function over(logger: Logger): Log {
  return {
    debug: (message, fields) => logger.debug(shown(fields), printableLines(message)),
    info: (message, fields) => logger.info(shown(fields), printableLines(message)),
    warn: (message, fields) => logger.warn(shown(fields), printableLines(message)),
    error: (message, fields) => logger.error(shown(fields), printableLines(message)),
    child: (fields) => over(logger.child(shown(fields))),
  }
}

/** JSON escapes the characters below a space only, and terminals act on others, too. */
const shown = (fields: LogFields = {}): LogFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, v]) => [name, typeof v === 'string' ? printableLines(v) : v]),
  )

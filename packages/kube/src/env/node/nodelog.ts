import { type Logger, pino } from 'pino'
import type { Log } from '../env.ts'

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
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
    child: (fields) => over(logger.child(fields)),
  }
}

import { type Logger, pino } from 'pino'
import { printableLines } from '../../object/printable.ts'
import type { Log, LogFields } from '../env.ts'

/** `text`: for people. Programs that collect logs read `json`. */
type LogFormat = 'json' | 'text'

/** One line each on standard error: standard output belongs to data. */
export function nodeLog(
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent',
  format: LogFormat = 'json',
): Log {
  const output = pino.destination({ dest: 2, sync: true })
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'msg',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    format === 'json' ? output : { write: (line) => output.write(textLine(line)) },
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

/** A line of JSON as `TIME LEVEL message key=value`; a value with a space or a quote is quoted as in JSON. */
function textLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as Record<string, string | number | boolean>
  const rest = Object.entries(fields).map(([name, v]) => ` ${name}=${quoted(String(v))}`)
  return `${time} ${String(level).toUpperCase().padEnd(5)} ${String(msg).replaceAll('\n', '\\n')}${rest.join('')}\n`
}

const quoted = (text: string): string => (/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text))

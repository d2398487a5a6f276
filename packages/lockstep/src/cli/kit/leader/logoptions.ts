/** Flags of the log, as the chart writes them. */
import { LOG_FORMATS, LOG_LEVELS, type Option } from '../index.ts'

export const logOptions: readonly Option[] = [
  { flags: '--log-level <level>', text: 'least level of the log', choices: LOG_LEVELS, default: 'info' },
  { flags: '--log-format <format>', text: 'format of the log', choices: LOG_FORMATS, default: 'json' },
]

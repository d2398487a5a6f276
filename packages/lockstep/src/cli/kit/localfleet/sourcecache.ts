import { join } from 'node:path'
import type { HostProcess } from '../index.ts'

/** Where sources are kept between runs (XDG Base Directory Specification); it can be removed at any time. */
export const sourceCache = ({ variables, home }: Pick<HostProcess, 'variables' | 'home'>): string =>
  join(variables.XDG_CACHE_HOME || join(home, '.cache'), 'lockstep', 'sources')

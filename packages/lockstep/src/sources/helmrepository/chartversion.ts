/** Which version of a chart is meant. Pure. */
import { compareVersions, parseSemverRange, parseVersion, type SemverVersion } from '../intake/semverrange.ts'

/** One version is named in full: what it is does not move. */
export const isExact = (wanted: string): boolean =>
  /^v?\d+\.\d+\.\d+/.test(wanted) && parseVersion(wanted) !== undefined

/** What is no version is passed over: one odd entry must not hurt others. */
function parsed(versions: readonly string[]): SemverVersion[] {
  return versions.flatMap((text) => parseVersion(text) ?? [])
}

/** Of equal precedence (build metadata): by bytes, so that it does not depend on the order of a list. */
const byPrecedence = (a: SemverVersion, b: SemverVersion): number =>
  compareVersions(a, b) || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)

/** The version that is written just so, else the highest of the range; undefined: there is none. */
export function pickChartVersion(wanted: string, versions: readonly string[]): string | undefined {
  if (isExact(wanted) && versions.includes(wanted)) return wanted
  const range = parseSemverRange(wanted)
  if (!range) return undefined
  return parsed(versions)
    .filter((v) => range.includes(v))
    .sort(byPrecedence)
    .at(-1)?.text
}

/** For people who asked for what is not there: its neighbours, or the highest there are. At most three, higher ones first. */
export function nearestVersions(wanted: string, versions: readonly string[]): string[] {
  const all = parsed(versions).sort(byPrecedence)
  const at = isExact(wanted) ? parseVersion(wanted) : undefined
  if (!at) return texts(all.slice(-3))
  const above = all.findIndex((v) => compareVersions(v, at) > 0)
  const end = above < 0 ? all.length : above
  return texts(all.slice(Math.max(0, end - 2), end + 1))
}

const texts = (versions: readonly SemverVersion[]): string[] => versions.map((v) => v.text).reverse()

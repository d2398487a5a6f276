/** `# lockstep:ignore W4b reason`: at the end of the line of a finding, or alone on the line above it. */
import type { FluxFile } from '../flux/fluxmanifest.ts'
import type { FluxFinding } from './fluxcheckrule.ts'

const COMMENT = /(?:^|\s)#\s*lockstep:ignore\s+(W\d[a-c](?:\s*,\s*W\d[a-c])*)[ \t]+(\S.*)$/

export interface ReportedFindings {
  readonly findings: readonly FluxFinding[]
  readonly ignored: readonly { readonly finding: FluxFinding; readonly reason: string }[]
}

/** A comment without a reason silences nothing. */
export function dropIgnoredFindings(
  findings: readonly FluxFinding[],
  files: readonly FluxFile[],
): ReportedFindings {
  const lines = new Map<string, readonly string[]>()
  for (const { file, text } of files)
    if (text.includes('lockstep:ignore')) lines.set(file, text.split(/\r\n|\r|\n/))
  const kept: FluxFinding[] = []
  const ignored: { finding: FluxFinding; reason: string }[] = []
  for (const finding of findings) {
    const text = lines.get(finding.place.file)
    const reason = text && reasonFor(finding, text)
    if (reason === undefined) kept.push(finding)
    else ignored.push({ finding, reason })
  }
  return { findings: kept, ignored }
}

function reasonFor({ rule, place }: FluxFinding, lines: readonly string[]): string | undefined {
  const above = lines[place.line - 2] ?? ''
  const candidates = [lines[place.line - 1] ?? '', /^\s*#/.test(above) ? above : '']
  for (const line of candidates) {
    const found = COMMENT.exec(line)
    if (found?.[1]?.split(/\s*,\s*/).includes(rule)) return found[2]
  }
  return undefined
}

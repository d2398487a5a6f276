/** Commits as git stores them: made of nothing but what is given, so that equal input gives an equal id. Pure. */
import { parseTimestampMs } from '@lockstep/kube/object'
import type { CommitView, NewCommit } from '../gitrepository.ts'

/** `Name <address>`, as servers take it that look at what they are sent (`fsck_ident` of git's fsck.c). */
export const isPerson = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line of a commit ends with them
  /^[^<>\s\u0000-\u001f](?:[^<>\u0000-\u001f]*[^<>\s\u0000-\u001f])? <[^<>\s\u0000-\u001f]+>$/.test(text)

/** The problem is for people. */
export function commitProblem(c: Pick<NewCommit, 'person' | 'date' | 'message'>): string | undefined {
  if (!isPerson(c.person)) return `"${c.person}" is not a person; write Name <address>`
  if (parseTimestampMs(c.date) === undefined) return `"${c.date}" is not a date; write 2026-01-01T00:00:00Z`
  return c.message.includes('\0') ? 'the message holds a NUL' : undefined
}

/** Both people, both dates are the same; no signature, no encoding. */
export function commitText(tree: string, c: Omit<NewCommit, 'files'>): string {
  const who = `${c.person} ${Math.floor((parseTimestampMs(c.date) ?? 0) / 1000)} +0000`
  const message = c.message.endsWith('\n') ? c.message : `${c.message}\n`
  return `tree ${tree}\nparent ${c.base}\nauthor ${who}\ncommitter ${who}\n\n${message}`
}

/** With NUL between the fields, and two at the end of each. */
export const LOG_FORMAT = '%H%x00%T%x00%P%x00%an <%ae>%x00%B%x00'

export function readLog(text: string): CommitView[] {
  const fields = text.split('\0')
  const out: CommitView[] = []
  for (let i = 0; i + 4 < fields.length; i += 5) {
    const [id, tree, parents, author, message] = fields.slice(i, i + 5) as [
      string,
      string,
      string,
      string,
      string,
    ]
    const all = parents.split(' ').filter((p) => p !== '')
    out.push({ id: id.trim(), tree, parents: all, author, message })
  }
  return out
}

const MARK = '\uFEFF'
/** At the start of the stream, behind a marker, and before one: each of several concatenated files may have one. */
const AT_DOCUMENT = /^((?:---|\.\.\.)(?:[ \t][^\n]*)?\r?\n)\uFEFF|^\uFEFF(?=(?:---|\.\.\.)(?:\s|$))/gm

/** The text without byte order marks where documents start (YAML 1.2.2, 5.2); elsewhere one is content. */
export function withoutByteOrderMarks(text: string): string {
  if (!text.includes(MARK)) return text
  const rest = text.startsWith(MARK) ? text.slice(1) : text
  return rest.replace(AT_DOCUMENT, '$1')
}

/** Everything is written with Unicode glyphs and replaced at the door, one character for one, so that widths hold. */
const GLYPHS: Readonly<Record<string, string>> = {
  '✔': '+',
  '✗': 'x',
  '◐': 'o',
  '⏸': '=',
  '■': '#',
  '⚠': '!',
  '·': '.',
  '…': '~',
  '–': '-',
  '—': '-',
  '─': '-',
  '│': '|',
  '└': '`',
  '├': '|',
  '→': '>',
  '▲': '^',
  '×': 'x',
  '≤': '<',
  '█': '#',
  '▌': '#',
  '░': '.',
  '’': "'",
  '“': '"',
  '”': '"',
}

export const toAscii = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
  text.replace(/[^\u0000-\u007f]/gu, (c) => GLYPHS[c] ?? '?')

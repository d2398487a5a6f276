/** YAML files as people write them, with marked values in between: blocks and brackets, comments, anchors, line ends. */
import fc from 'fast-check'

export const MARKER = 'a:b:prod'
/** What a marked value is before it is promoted: no two of a file are the same. */
export const MARKED = /mark-[0-9]+/

const COMMENT = `# {"$promotion": "${MARKER}"}`

/** `@` stands for a marked value: it gets its number when the file is put together. */
type Lines = readonly string[]

const quoted = fc.constantFrom('@', '"@"', "'@'")
const marked = fc
  .tuple(quoted, fc.constantFrom(' ', '  ', '\t'), fc.constantFrom('', ' ', '\t'))
  .map(([value, before, behind]) => `${value}${before}${COMMENT}${behind}`)

const comment = fc.constantFrom(
  '',
  '',
  ' # why',
  '\t# {"$imagepolicy": "x:y"}',
  ` # {"$promotion": "${MARKER}2"}`,
)
/** What stands in most files, and what stands in some: anchors, tags, brackets and texts over several lines. */
type Style = 'usual' | 'any'

const USUAL = [
  '6.0.0',
  '"a # b"',
  "'it''s'",
  '010',
  'on',
  'null',
  '~',
  'https://x:1/#y',
  '"\\u00e9\\n"',
  'a b',
  'ä €',
]
const UNUSUAL = ['&v x', '!!str 1', '*shared', '']
const NUMBERS = ['-1', '1_000', '2001-01-01', '"{"', "'[a'"]

const valueIn = (style: Style): fc.Arbitrary<string> => {
  const scalars = fc.constantFrom(...USUAL, ...NUMBERS, ...(style === 'any' ? UNUSUAL : []))
  const unmarked = fc.tuple(scalars, comment).map(([value, behind]) => `${value}${behind}`)
  return fc.oneof({ weight: 2, arbitrary: unmarked }, { weight: 1, arbitrary: marked })
}

const bracketsIn = (style: Style): fc.Arbitrary<Lines> =>
  fc.oneof(
    quoted.map((q) => [`{tag: ${q}} ${COMMENT}`]),
    quoted.map((q) => [`[${q}] ${COMMENT}`]),
    comment.map((c) => [`{ r: x, k: [1, {a: "b, c"}], "e": 'it''s' }${c}`]),
    ...(style === 'any'
      ? [quoted.map((q) => ['{', '  r: "x", # c', `  t: ${q}, ${COMMENT}`, '  u: [1,', '    2] # two', '}'])]
      : []),
  )

const BLOCKS: readonly Lines[] = [
  ['|', '  text', '', '   more # {"$promotion": "other:b:prod"}'],
  ['>- # folded', '  text', '  more'],
]
const OVER_LINES: readonly Lines[] = [
  ['|2+', '   x', ''],
  ['one', '  two # {"x": 1}'],
  ['"one', '  two"'],
]
const textsIn = (style: Style) => fc.constantFrom(...BLOCKS, ...(style === 'any' ? OVER_LINES : []))
const between = fc.constantFrom<Lines>([], [], [], [''], ['# between'], ['', `# Put ${COMMENT} there`])

const indented = (lines: Lines, by: number): Lines => lines.map((l) => (l === '' ? '' : ' '.repeat(by) + l))

/** What stands behind a key, and on the lines below it. */
const behindKey = (style: Style): fc.Arbitrary<Lines> =>
  fc
    .oneof(
      { weight: 3, arbitrary: valueIn(style).map((v) => [v]) },
      { weight: 1, arbitrary: bracketsIn(style) },
      { weight: 1, arbitrary: textsIn(style) },
    )
    .map(([first = '', ...rest]) => [` ${first}`, ...indented(rest, 1)])

const DEPTH = { maxDepth: 3, depthSize: 'small' } as const

const mapIn = (style: Style): fc.Arbitrary<Lines> =>
  fc.letrec<{ map: Lines; list: Lines; below: Lines }>((tie) => ({
    below: fc
      .tuple(
        style === 'any' ? fc.oneof(comment, fc.constant(' &a # anchored')) : comment,
        fc.oneof(tie('map'), tie('list')),
        fc.integer({ min: 1, max: 4 }),
      )
      .map(([head, lines, by]) => [head, ...indented(lines, by)]),
    map: fc
      .array(fc.tuple(between, fc.oneof(DEPTH, behindKey(style), tie('below'))), {
        minLength: 1,
        maxLength: 3,
      })
      .map((all) => all.flatMap(([before, [first, ...rest]], i) => [...before, `k${i}:${first}`, ...rest])),
    list: fc
      .array(
        fc.oneof(
          DEPTH,
          valueIn(style).map((v) => [`- ${v}`]),
          tie('map').map(asItem),
        ),
        {
          minLength: 1,
          maxLength: 2,
        },
      )
      .map((items) => items.flat()),
  })).map

/** A mapping as an item: its first line behind the dash. */
function asItem(lines: Lines): Lines {
  const first = lines.findIndex((l) => /^k/.test(l))
  return [...lines.slice(0, first), `- ${lines[first]}`, ...indented(lines.slice(first + 1), 2)]
}

export interface MarkedFile {
  readonly text: string
  /** How many values are marked. */
  readonly count: number
}

const documentIn = (style: Style): fc.Arbitrary<Lines> =>
  mapIn(style).map((lines) => (style === 'any' ? ['shared: &shared { k: [x] }', ...lines] : lines))

/** Valid to whoever reads YAML as kubectl does; some files have no mark. */
export const markedFile: fc.Arbitrary<MarkedFile> = fc
  .record({
    documents: fc.array(fc.oneof(documentIn('usual'), documentIn('any')), { minLength: 1, maxLength: 2 }),
    eol: fc.constantFrom('\n', '\r\n'),
    start: fc.constantFrom('', '', '\uFEFF'),
    head: fc.constantFrom<Lines>([], ['---'], ['# about', '']),
    isEnded: fc.boolean(),
  })
  .map(({ documents, eol, start, head, isEnded }) => {
    const lines = documents.flatMap((d, i) => [...(i === 0 ? head : ['---']), ...d])
    let count = 0
    const text = lines.join(eol).replaceAll('@', () => `mark-${count++}`)
    return { text: `${start}${text}${isEnded ? eol : ''}`, count }
  })

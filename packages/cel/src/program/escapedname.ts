/** Names of fields that are no names in CEL are escaped: `foo-bar` is `foo__dash__bar`, `namespace` is `__namespace__`. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
const SIGNS: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}
const WORDS: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' }

/** What a field is called in CEL; undefined where it cannot be called at all. */
export function escapedName(name: string): string | undefined {
  if (name === '' || /^\d/.test(name) || /[^A-Za-z0-9_./-]/.test(name)) return undefined
  if (RESERVED.has(name)) return `__${name}__`
  return name.replace(/__|[-./]/g, (sign) => SIGNS[sign]!)
}

/** The field that a name in CEL means; undefined where it means none. */
export function unescapedName(name: string): string | undefined {
  let valid = true
  const plain = name.replace(/__[^_]+__/g, (part) => {
    const word = part.slice(2, -2)
    if (Object.hasOwn(WORDS, word)) return WORDS[word]!
    if (!RESERVED.has(word) || part !== name) valid = false
    return word
  })
  return valid ? plain : undefined
}

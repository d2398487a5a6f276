/** How a text is written in place of a scalar: in its quotes; without any only where nobody takes it for something else. */

export type ScalarQuotes = 'none' | 'single' | 'double'

/** Also in brackets, and wherever the line begins; more than these is put into quotes. */
const PLAIN = /^[A-Za-z0-9_/][A-Za-z0-9_./@+-]*$/
/** Not in brackets: what is before the colon would be a key to some. */
const PLAIN_BLOCK = /^[A-Za-z0-9_/](?:[A-Za-z0-9_./@+-]|:(?=[A-Za-z0-9_./@+-]))*$/

/**
 * What is not a text to a reader of YAML 1.1 (yaml.org/type) or 1.2 (core schema), or to one who is laxer than both, as those
 * of Go are: words, numbers with one dot at most and digits in groups, other bases, minutes and seconds, days.
 */
const NO_TEXT = [
  /^(?:null|true|false|y|n|yes|no|on|off|nan|inf|infinity)$/i,
  /^[0-9_]*\.?[0-9_]*(?:e[-+]?[0-9_]*)?$/i,
  /^[0-9]+[box][0-9a-f_.]*(?:p[-+]?[0-9_]*)?$/i,
  /^[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/,
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:$|t)/i,
]

export function writeScalar(text: string, quotes: ScalarQuotes, isInBrackets: boolean): string {
  if (quotes === 'single') return `'${text.replaceAll("'", "''")}'`
  const isPlain =
    quotes === 'none' &&
    (isInBrackets ? PLAIN : PLAIN_BLOCK).test(text) &&
    !NO_TEXT.some((pattern) => pattern.test(text))
  return isPlain ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

/** Longer than a reference of an image may be, and any version is. */
const LONGEST = 1024
/** No YAML without escapes, line breaks to some, or nothing that can be seen. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\uFEFF]/u

/** Why a text is not written anywhere; undefined: it is. */
export function unwritableScalar(text: string): string | undefined {
  if (text === '') return 'is empty'
  if (text.length > LONGEST) return `has ${text.length} characters, and more than ${LONGEST} are no version`
  const found = UNSEEN.exec(text)
  if (found) return `has the character U+${hex(found[0])} at ${found.index + 1}`
  return text.trim() === text ? undefined : 'begins or ends with a blank'
}

const hex = (char: string): string => char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')

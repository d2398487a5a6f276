import type { FoundAt } from './celproblem.ts'

export type TokenKind =
  | 'NUM_FLOAT'
  | 'NUM_INT'
  | 'NUM_UINT'
  | 'STRING'
  | 'BYTES'
  | 'IDENTIFIER'
  | 'sign'
  | 'EOF'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly at: number
}

const NUMBER = /(?:\d+\.\d+|\d+(?=[eE])|\.\d+)(?:[eE][+-]?\d+)?|0x[0-9a-fA-F]+[uU]?|\d+[uU]?/y
const FLOAT = /^(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)$/
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y
const SIGNS = /==|!=|<=|>=|&&|\|\||[[\]{}().,\-!?:+*/%<>]/y
const BLANK = /[\t\r\n\f ]+|\/\/[^\n]*/y
const BACKTICK = '`'
const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?${BACKTICK}]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`
const TEXTS = [
  /[rR]""".*?"""/sy,
  /[rR]'''.*?'''/sy,
  /[rR]"[^"\n\r]*"/y,
  /[rR]'[^'\n\r]*'/y,
  new RegExp(`"""(?:${ESCAPE}|[^\\\\])*?"""`, 'y'),
  new RegExp(`'''(?:${ESCAPE}|[^\\\\])*?'''`, 'y'),
  new RegExp(`"(?:${ESCAPE}|[^\\\\"\\n\\r])*"`, 'y'),
  new RegExp(`'(?:${ESCAPE}|[^\\\\'\\n\\r])*'`, 'y'),
]
/** As much of a text as could still have become one, with the character that ended that hope. */
const BROKEN_TEXT = new RegExp(`(["'])(?:${ESCAPE}|(?!\\1)[^\\\\\\n\\r])*(?:\\\\.?|.)?`, 'sy')

function at(re: RegExp, text: string, offset: number): string | undefined {
  re.lastIndex = offset
  return re.exec(text)?.[0]
}

/** Cuts the text into tokens. What is none is reported and left out, as the parser of the API server does it. */
export function tokenize(text: string): {
  readonly tokens: readonly Token[]
  readonly found: readonly FoundAt[]
} {
  const tokens: Token[] = []
  const found: FoundAt[] = []
  let offset = 0
  while (offset < text.length) {
    const blank = at(BLANK, text, offset)
    if (blank !== undefined) {
      offset += blank.length
      continue
    }
    const token = tokenAt(text, offset)
    if (token) {
      tokens.push(token)
      offset += token.text.length
      continue
    }
    const broken = brokenAt(text, offset)
    found.push({ at: offset, message: `Syntax error: token recognition error at: '${escaped(broken)}'` })
    offset += broken.length
  }
  tokens.push({ kind: 'EOF', text: '<EOF>', at: offset })
  return { tokens, found }
}

/** What a text can begin with, after the `b` of bytes: nothing else is held against all the forms of texts. */
const OPENS_TEXT = /["'rR]/

function tokenAt(text: string, offset: number): Token | undefined {
  const prefixed = /[bB]/.test(text[offset]!) ? 1 : 0
  const opens = OPENS_TEXT.test(text[offset + prefixed] ?? '')
  const quoted = opens ? quotedAt(text, offset + prefixed) : undefined
  if (quoted !== undefined)
    return prefixed
      ? { kind: 'BYTES', text: text[offset] + quoted, at: offset }
      : { kind: 'STRING', text: quoted, at: offset }
  const number = at(NUMBER, text, offset)
  if (number !== undefined) return { kind: numberKind(number), text: number, at: offset }
  const word = at(WORD, text, offset)
  if (word !== undefined)
    return { kind: /^(true|false|null|in)$/.test(word) ? 'sign' : 'IDENTIFIER', text: word, at: offset }
  const sign = at(SIGNS, text, offset)
  return sign === undefined ? undefined : { kind: 'sign', text: sign, at: offset }
}

function quotedAt(text: string, offset: number): string | undefined {
  for (const re of TEXTS) {
    const found = at(re, text, offset)
    if (found !== undefined) return found
  }
  return undefined
}

function numberKind(text: string): TokenKind {
  if (/[uU]$/.test(text)) return 'NUM_UINT'
  return FLOAT.test(text) ? 'NUM_FLOAT' : 'NUM_INT'
}

/** Up to and with the character at which no token could go on. */
function brokenAt(text: string, offset: number): string {
  const broken = at(BROKEN_TEXT, text, offset)
  if (broken !== undefined) return broken
  return /[=&|]/.test(text[offset]!)
    ? text.slice(offset, offset + 2)
    : [...text.slice(offset, offset + 2)][0]!
}

const escaped = (text: string): string =>
  text.replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')

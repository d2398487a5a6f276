/** Pieces of TypeScript and JavaScript that people read: comments, and string literals with a space. */
import ts from 'typescript'
import { maskCode } from './markdown.js'

const { SyntaxKind } = ts
const scanner = ts.createScanner(ts.ScriptTarget.Latest, false)

const STRINGS = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
])
const COMMENTS = new Set([SyntaxKind.SingleLineCommentTrivia, SyntaxKind.MultiLineCommentTrivia])
const TRIVIA = new Set([
  SyntaxKind.WhitespaceTrivia,
  SyntaxKind.NewLineTrivia,
  SyntaxKind.ShebangTrivia,
  ...COMMENTS,
])

/** Tokens that end an expression: a slash after one of them divides, any other slash begins a regular expression. */
const ENDS_EXPRESSION = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.PrivateIdentifier,
  SyntaxKind.StringLiteral,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.PlusPlusToken,
  SyntaxKind.MinusMinusToken,
  SyntaxKind.ThisKeyword,
  SyntaxKind.SuperKeyword,
  SyntaxKind.NullKeyword,
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
])

const endsExpression = ([first, second]) =>
  first !== undefined &&
  (ENDS_EXPRESSION.has(first.kind) ||
    first.kind > SyntaxKind.LastReservedWord ||
    second?.kind === SyntaxKind.DotToken)

/**
 * All tokens but white space. The scanner needs help with two of them: a template continues after the brace of its
 * placeholder, and a slash depends on the token before it.
 */
function* tokens(text) {
  scanner.setText(text)
  const depths = []
  let before = []
  for (;;) {
    let kind = scanner.scan()
    if (kind === SyntaxKind.EndOfFileToken) return
    if (kind === SyntaxKind.OpenBraceToken && depths.length > 0) depths[depths.length - 1]++
    if (kind === SyntaxKind.CloseBraceToken && depths.length > 0) {
      if (depths.at(-1) === 0) kind = scanner.reScanTemplateToken(false)
      else depths[depths.length - 1]--
    }
    if (kind === SyntaxKind.TemplateHead) depths.push(0)
    if (kind === SyntaxKind.TemplateTail) depths.pop()
    const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken
    if (isSlash && !endsExpression(before)) kind = scanner.reScanSlashToken()
    const token = { kind, start: scanner.getTokenStart(), end: scanner.getTokenEnd(), before }
    if (STRINGS.has(kind) || COMMENTS.has(kind)) yield token
    if (!TRIVIA.has(kind)) {
      const word = kind > SyntaxKind.LastPunctuation ? text.slice(token.start, token.end) : undefined
      before = [{ kind, word }, before[0], before[1]].filter((t) => t !== undefined)
    }
  }
}

/** Name of the property or the method that a string is given to: `describe` of `.describe('…')`, `text` of `text: '…'`. */
function keyOf([first, second, third]) {
  if (first?.kind === SyntaxKind.ColonToken) return second?.word
  if (first?.kind === SyntaxKind.OpenParenToken && third?.kind === SyntaxKind.DotToken) return second?.word
  return undefined
}

const blank = (found) => found.replace(/[^\n]/g, ' ')

function commentPiece(text, { start, end }) {
  const raw = text.slice(start, end)
  const bare = raw.startsWith('/*')
    ? raw.replace(/^\/\*+|\*+\/$|\n[ \t]*\*+(?!\/)/g, blank)
    : raw.replace(/(?<=^|\n)[ \t]*\/\/+/g, blank)
  return { surface: 'comments', at: start, text: maskCode(bare) }
}

function stringPiece(text, { kind, start, end, before }) {
  const opensPlaceholder = kind === SyntaxKind.TemplateHead || kind === SyntaxKind.TemplateMiddle
  const raw = text.slice(start + 1, end - (opensPlaceholder ? 2 : 1))
  return { surface: 'strings', at: start + 1, text: raw.replace(/\\[\s\S]/g, '  '), key: keyOf(before) }
}

/** Line comments below each other are one comment, unless the first one follows code. */
function continues(text, last, token) {
  if (last?.kind !== SyntaxKind.SingleLineCommentTrivia || token.kind !== last.kind) return false
  const indent = text.slice(text.lastIndexOf('\n', last.start - 1) + 1, last.start)
  return indent.trim() === '' && /^[ \t]*\r?\n[ \t]*$/.test(text.slice(last.end, token.start))
}

/** Pieces as `{ surface, at, text, key }`; `at` is the offset of the text in the file. */
export function sourcePieces(text) {
  const comments = []
  const strings = []
  for (const token of tokens(text)) {
    const last = comments.at(-1)
    if (STRINGS.has(token.kind)) strings.push(stringPiece(text, token))
    else if (continues(text, last, token)) last.end = token.end
    else comments.push({ ...token })
  }
  return [...strings.filter((p) => p.text.includes(' ')), ...comments.map((c) => commentPiece(text, c))]
}

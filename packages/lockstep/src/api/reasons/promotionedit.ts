/** Reasons of edits: values of a repository's files, and versions of Modules, that a promotion cannot change. */

import { countText, listText, nameOf } from './nameof.ts'
import { number, oneOf, reason, text, texts } from './reason.ts'
import { oneOrMore, type WaitRef, type WaitRefOf } from './waitref.ts'

const repository: WaitRefOf<'External'> = { kind: 'External', name: 'o/r@main' }

/** `at`: `apps/a.yaml:3:9`, or the field of the Pipeline. */
const place = { at: text.optional() }

interface Place {
  readonly on: readonly WaitRef[]
  readonly at?: string | undefined
}

const repositoryOf = ({ on }: Place): string => (on[0] ? nameOf(on[0]) : 'the repository')
/** `apps/a.yaml:3:9 in o/r@main: `. */
const head = (f: Place): string =>
  f.at === undefined ? '' : `${f.at}${f.on[0]?.kind === 'External' ? ` in ${repositoryOf(f)}` : ''}: `
const below = (path: string | undefined): string => (path === undefined ? '' : ` below ${path}`)
const linesText = (lines: readonly string[] | undefined): string => `lines ${(lines ?? []).join(', ')}`

const AGAIN = 'then promote again: lockstep promote PIPELINE --to ENVIRONMENT'

export const promotionEditReasons = {
  NothingToEdit: reason({
    actor: 'author',
    on: oneOrMore('External', 'Object'),
    facts: {
      because: oneOf(
        'NoEdits',
        'NoMarker',
        'FileMissing',
        'DocumentMissing',
        'PathMissing',
        'ImageMissing',
        'ImageFieldMissing',
        'ModuleMissing',
        'NoVersion',
        'VersionRange',
        'NoPart',
        'NoDigest',
      ),
      ...place,
      name: text.optional(),
      field: text.optional(),
      path: text.optional(),
      files: number.optional(),
      paths: texts.optional(),
      revision: text.optional(),
      value: text.optional(),
    },
    message: (f) => {
      const module = `${repositoryOf(f)}: `
      switch (f.because) {
        case 'NoEdits':
          return 'promotion.edits is empty; add an edit'
        case 'NoMarker':
          return `marker ${f.name} not found in ${repositoryOf(f)}: ${readText(f.files, f.paths)}; add the marker or set edits`
        case 'FileMissing':
          return `${head(f)}file ${f.name} not found; correct its name, or add it`
        case 'DocumentMissing':
          return `${head(f)}${f.name ?? 'document'} not found; correct the edit, or add it`
        case 'PathMissing':
          return `${head(f)}${f.name}${below(f.path)} not found; correct the path, or add the value`
        case 'ImageMissing':
          return `${head(f)}images has no entry with name ${f.name}; add one, or correct the edit`
        case 'ImageFieldMissing':
          return `${head(f)}${f.name} has no ${f.field}; add it`
        case 'ModuleMissing':
          return `${module}not found; create it, or remove its target from the Pipeline`
        case 'NoVersion':
          return `${module}its source has no version, and no release to follow; set spec.release, or use pull-request`
        case 'VersionRange':
          return `${module}${f.field} follows ${f.value}; set one version in ${f.path ?? f.field}`
        case 'NoPart':
          return `${module}${f.field} needs a value that ${f.revision} does not have`
        case 'NoDigest':
          return `${module}${f.field} pins the version, and ${f.revision} has no digest; remove ${f.field}, or promote the whole revision`
      }
    },
    meaning: 'No place for the revision was found in the repository, or in a Module.',
    advice: () => `correct the marker or promotion.edits, ${AGAIN}`,
    examples: [
      { on: [repository], because: 'NoMarker', name: '{"$promotion": "platform:podinfo:prod"}', files: 12 },
      { on: [repository], because: 'PathMissing', at: 'apps/a.yaml:3:9', name: 'tag', path: 'image' },
    ],
  }),
  PromotionTargetAmbiguous: reason({
    actor: 'author',
    on: oneOrMore('External'),
    facts: {
      because: oneOf('TwoValues', 'OtherValuesChange', 'NameOrTag', 'Anchor', 'Documents', 'Items', 'Values'),
      ...place,
      values: texts.optional(),
      name: text.optional(),
      path: text.optional(),
      lines: texts.optional(),
      count: number.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'TwoValues':
          return `${head(f)}two edits write different values: ${listText(f.values ?? [])}; remove one of them`
        case 'OtherValuesChange':
          return `${head(f)}the new value would change other values of the document; remove anchors and merges around it`
        case 'NameOrTag':
          return `${head(f)}${f.name} may be a name or a tag; write name:tag, or remove :tag from the marker`
        case 'Anchor':
          return `${head(f)}anchor &${f.name} is used at ${listText(f.lines ?? [])} too; write the value out there`
        case 'Documents':
          return `${head(f)}${f.count} documents match on ${linesText(f.lines)}; set file, path and where`
        case 'Items':
          return `${head(f)}${f.name}${below(f.path)} matches ${f.count} times on ${linesText(f.lines)}; name one of them`
        case 'Values':
          return `${head(f)}marker follows ${f.count} values; write its value on a separate line`
      }
    },
    meaning: 'More than one place in the repository matches, or another place would change with it.',
    advice: () => `correct the marker or promotion.edits, ${AGAIN}`,
    examples: [
      { on: [repository], because: 'Documents', at: 'apps/a.yaml:3:1', count: 2, lines: ['1', '3'] },
      { on: [repository], because: 'Anchor', at: 'apps/a.yaml:1:7', name: 'x', lines: ['2:4', '3:5'] },
    ],
  }),
  EditRefused: reason({
    actor: 'author',
    on: oneOrMore('External'),
    facts: {
      because: oneOf(
        'TooManyFiles',
        'FileOutside',
        'LinkInPath',
        'Link',
        'NotAFile',
        'TooLarge',
        'GitLfs',
        'Utf16',
        'NotUtf8',
        'Syntax',
        'NotAScalar',
        'Alias',
        'Empty',
        'BlockText',
        'SeveralLines',
        'Tag',
        'InvalidPath',
        'AliasInPath',
        'Merged',
        'NotAPart',
        'NotAnImage',
        'HasDigest',
        'AnchorOrTag',
        'NotWritable',
        'MarkerSyntax',
        'MarkerPart',
        'MarkerInText',
        'MarkerAlone',
      ),
      ...place,
      name: text.optional(),
      field: text.optional(),
      path: text.optional(),
      link: text.optional(),
      count: number.optional(),
      limit: number.optional(),
      error: text.optional(),
      parts: texts.optional(),
    },
    message: (f) => `${head(f)}${refusalText(f)}`,
    meaning: 'A place was found, and its value cannot be changed without a change of anything else.',
    advice: () => `correct the file or promotion.edits, ${AGAIN}`,
    examples: [
      { on: [repository], because: 'BlockText', at: 'apps/a.yaml:1:4' },
      { on: [repository], because: 'TooManyFiles', at: 'edits', count: 5001, limit: 5000 },
    ],
  }),
} as const

const readText = (files = 0, paths: readonly string[] | undefined): string =>
  `${countText(files, paths ? 'file' : 'YAML file')} read${paths ? `, paths ${paths.join(', ')}` : ''}`

interface Refusal {
  readonly because: string
  readonly name?: string | undefined
  readonly field?: string | undefined
  readonly path?: string | undefined
  readonly link?: string | undefined
  readonly count?: number | undefined
  readonly limit?: number | undefined
  readonly error?: string | undefined
  readonly parts?: readonly string[] | undefined
}

const refusalText = (f: Refusal): string => REFUSALS[f.because]?.(f) ?? f.because

const OUT_OF_PATHS = 'or exclude it from paths with !'

const REFUSALS: Readonly<Record<string, (f: Refusal) => string>> = {
  TooManyFiles: (f) =>
    `${f.count} files match, the limit is ${f.limit}; narrow paths, for example ["apps/**/*.yaml"]`,
  FileOutside: (f) => `${f.name} is outside the repository; name a file from its root`,
  LinkInPath: (f) => `${f.link} in ${f.name} is a symbolic link; name the file without the link`,
  Link: () => `is a symbolic link; name its file, ${OUT_OF_PATHS}`,
  NotAFile: () => `is not a file, such as a submodule; exclude it from paths with !`,
  TooLarge: (f) => `has ${f.count} bytes, the limit is 5 MiB; split it, ${OUT_OF_PATHS}`,
  GitLfs: () => `is a pointer of Git LFS; keep the content in Git, ${OUT_OF_PATHS}`,
  Utf16: () => 'is UTF-16; save it as UTF-8',
  NotUtf8: () => 'is not UTF-8 from here; save it as UTF-8',
  Syntax: (f) => `${f.error}; correct it`,
  NotAScalar: (f) => `is a ${f.name}; name a value in it`,
  Alias: (f) =>
    `is an alias of &${f.name}${f.path === undefined ? '' : ` at ${f.path}`}; write the value out here`,
  Empty: () => 'has no value; write one here',
  BlockText: () => 'is a block text; write it on one line',
  SeveralLines: () => 'is a text over several lines; write it on one line',
  Tag: (f) => `has the tag ${f.name}${f.path === undefined ? '' : ' above it'}; remove the tag`,
  InvalidPath: (f) => `path ${f.path} is invalid; correct it`,
  AliasInPath: (f) => `${f.field}${below(f.path)} is an alias of &${f.name}; write it out here`,
  Merged: (f) => `${f.field}${below(f.path)} may come from << here; write it out`,
  NotAPart: (f) => `${f.name} is not the ${f.field} of an image, such as ${f.error}; set valueExpr`,
  NotAnImage: (f) =>
    `${f.name === undefined ? 'value' : f.name} is not an image, such as ghcr.io/org/app:1.0`,
  HasDigest: (f) => `${f.name} has a digest, which wins over the tag; promote the digest, or remove it`,
  AnchorOrTag: (f) => `entry has an anchor or a tag; write ${f.field} once`,
  NotWritable: (f) => `${f.name} cannot be written: ${f.error}; correct the expression, or set valueExpr`,
  MarkerSyntax: (f) => `marker is not JSON; write # ${f.name}`,
  MarkerPart: (f) => `marker ends in :${f.name}; it may end in ${(f.parts ?? []).join(', ')}, or in none`,
  MarkerInText: () => 'marker is inside a block text; move the value to its own key',
  MarkerAlone: () => 'marker follows no value; write it after a value on the same line',
}

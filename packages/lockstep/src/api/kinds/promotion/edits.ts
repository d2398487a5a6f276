import { z } from 'zod'
import { rules } from '../schemarules.ts'

/** Files that `{marker: true}` searches without `paths`. */
export const DEFAULT_PATHS: readonly string[] = ['**/*.yaml', '**/*.yml']

/**
 * Patterns of the schema, not rules: what `matches` may cost on all edits of all environments is more than a schema may.
 * A path has neither `.` nor `..` in it, nor an empty name.
 */
const NAME = String.raw`([^/.\\\r\n\t]|\.[^/.\\\r\n\t]|\.\.[^/\\\r\n\t])[^/\\\r\n\t]*`
const FILE = new RegExp(`^${NAME}(/${NAME})*$`)
const GLOB = /^!?[^!/\\{}[\]\r\n\t][^\\{}[\]\r\n\t]*$/
const KEY = String.raw`[^.=[\]"'\s]+`
const ITEM = String.raw`\[([0-9]+|${KEY}=[^[\]]+|"[^"]+")\]`
const VALUE_PATH = new RegExp(String.raw`^(${KEY}|${ITEM})(\.${KEY}|${ITEM})*$`)

const file = z
  .string()
  .min(1)
  .max(1024)
  .regex(FILE)
  .describe('Path from the root of the repository, such as apps/podinfo.yaml; no leading /, no . and no ..')

const glob = z.string().min(1).max(256).regex(GLOB)

const valuePath = (description: string) =>
  z
    .string()
    .min(1)
    .max(1024)
    .regex(VALUE_PATH)
    .describe(
      `${description} Keys and items from the top, such as spec.chart.spec.version, images[0], containers[name=app], annotations["a.b/c"].`,
    )

const where = z
  .object({
    kind: z.string().min(1).max(63).describe('Kind of the object.'),
    name: z.string().min(1).max(253).describe('Name of the object.'),
    namespace: z.string().min(1).max(63).optional().describe('Namespace of the object.'),
  })
  .describe('Object whose document in the file is changed.')

const kustomizeImage = z
  .object({
    file,
    name: z.string().min(1).max(255).describe('Name of the entry, which must exist.'),
    set: z
      .enum(['newTag', 'newName', 'digest'])
      .describe('Field of the entry. A missing `newTag` is added; other fields must exist.'),
  })
  .describe('Entry of `images` in a kustomization.')

const helmValue = z
  .object({ file, key: valuePath('Path of the value, such as image.tag.') })
  .describe('Value in a values file of Helm.')

const edit = z
  .object({
    marker: z
      .boolean()
      .meta(rules({ rule: 'self', message: 'must be true or omitted' }))
      .optional()
      .describe(
        'Values with a comment {"$promotion": "<namespace>:<pipeline>:<environment>"} behind them. A fourth part `:tag`, `:name` or `:digest` names a part of an image.',
      ),
    paths: z
      .array(glob)
      .min(1)
      .max(32)
      .optional()
      .describe(
        'Files in which markers are searched, from the root: * and ? within a name, ** for any directories, a leading ! to exclude; no {}, [] and \\. By default all .yaml and .yml files.',
      ),
    file: file.optional(),
    path: valuePath('Path of the value, which must exist.').optional(),
    where: where.optional(),
    kustomizeImage: kustomizeImage.optional(),
    helmValue: helmValue.optional(),
    valueExpr: z
      .string()
      .min(1)
      .max(16_384)
      .optional()
      .describe(
        'CEL expression over `revision`, `identity`, `environment` and `epoch` that returns the new text; by default the revision.',
      ),
  })
  .meta({
    exactlyOne: ['marker', 'file', 'kustomizeImage', 'helmValue'],
    ...rules(
      { rule: 'has(self.file) == has(self.path)', message: 'file and path must be set together' },
      { rule: '!has(self.where) || has(self.file)', message: 'requires file and path', fieldPath: '.where' },
      { rule: '!has(self.paths) || has(self.marker)', message: 'requires marker', fieldPath: '.paths' },
      {
        rule: "!has(self.paths) || self.paths.exists(p, !p.startsWith('!'))",
        message: 'must contain a pattern without !',
        fieldPath: '.paths',
      },
    ),
  })

/** One place, or all marked ones, and the value to write. */
export type PromotionEdit = z.output<typeof edit>

export const edits = z
  .array(edit)
  .min(1)
  .max(64)
  .describe('Values that a promotion writes to files of the repository; nothing else changes.')

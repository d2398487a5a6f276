import { z } from 'zod'
import { rules } from '../schemarules.ts'

/** What `{marker: true}` looks through where it has no `paths`. */
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
  .describe('From the root of the repository: apps/podinfo.yaml; without a leading /, . and ..')

const glob = z.string().min(1).max(256).regex(GLOB)

const valuePath = (description: string) =>
  z
    .string()
    .min(1)
    .max(1024)
    .regex(VALUE_PATH)
    .describe(
      `${description} Keys and items from the top: spec.chart.spec.version, images[0], containers[name=app], annotations["a.b/c"].`,
    )

const where = z
  .object({
    kind: z.string().min(1).max(63),
    name: z.string().min(1).max(253),
    namespace: z.string().min(1).max(63).optional(),
  })
  .describe('Which document of the file, by its object.')

const kustomizeImage = z
  .object({
    file,
    name: z.string().min(1).max(255).describe('The name of an entry of images, which has to be there.'),
    set: z
      .enum(['newTag', 'newName', 'digest'])
      .describe('Which field of it. newTag is added where it is not there, the others are not.'),
  })
  .describe('An entry of images in a kustomization.')

const helmValue = z
  .object({ file, key: valuePath('The value, such as image.tag.') })
  .describe('A value in a values file of Helm.')

const edit = z
  .object({
    marker: z
      .boolean()
      .meta(rules({ rule: 'self', message: 'true, or leave it out' }))
      .optional()
      .describe(
        'Values with a comment {"$promotion": "<namespace>:<pipeline>:<environment>"} behind them; with a fourth part :tag, :name or :digest, that part of an image.',
      ),
    paths: z
      .array(glob)
      .min(1)
      .max(32)
      .optional()
      .describe(
        'Where markers are looked for, from the root: * and ? within a name, ** for any directories, a leading ! for what is left out; no {}, [] and \\. Default: all files that end in .yaml or .yml.',
      ),
    file: file.optional(),
    path: valuePath('The value; it has to be there.').optional(),
    where: where.optional(),
    kustomizeImage: kustomizeImage.optional(),
    helmValue: helmValue.optional(),
    valueExpr: z
      .string()
      .min(1)
      .max(16_384)
      .optional()
      .describe(
        'CEL over revision, identity, environment and epoch that gives the text to be written. Absent: the revision.',
      ),
  })
  .meta({
    exactlyOne: ['marker', 'file', 'kustomizeImage', 'helmValue'],
    ...rules(
      { rule: 'has(self.file) == has(self.path)', message: 'file and path go together' },
      { rule: '!has(self.where) || has(self.file)', message: 'is for file and path', fieldPath: '.where' },
      { rule: '!has(self.paths) || has(self.marker)', message: 'is for marker', fieldPath: '.paths' },
      {
        rule: "!has(self.paths) || self.paths.exists(p, !p.startsWith('!'))",
        message: 'leaves everything out; give a pattern without !',
        fieldPath: '.paths',
      },
    ),
  })

/** One place, or all marked ones, and what is to be written there. */
export type PromotionEdit = z.output<typeof edit>

export const edits = z
  .array(edit)
  .min(1)
  .max(64)
  .describe('What a promotion writes: texts of single values in files of the repository, and nothing else.')

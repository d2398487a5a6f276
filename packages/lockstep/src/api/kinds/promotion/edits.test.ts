import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compileSchema } from '../../../../../apiserver/src/schema/compileschema.ts'
import { checkCrdSchema } from '../../../../../apiserver/src/schema/crdschema.ts'
import { structuralSchema } from '../../../../../kube/src/schema/structuralschema.ts'
import { edits } from './edits.ts'

const schema = {
  type: 'object',
  properties: { spec: structuralSchema(z.object({ edits })) },
}

/** The value that is repeated before what is wrong with it. */
const VALUE = /^Invalid value: (?:(?:"(?:[^"\\]|\\.)*"|\w+): )?/

/** What the API server says of one edit, field by field. */
function refused(edit: unknown): string[] {
  const ops = compileSchema(schema as never)
  const value = { spec: { edits: [edit] } } as never
  const found = ops.validate(value)
  return [...found, ...ops.validateRules(value, { found, warn: () => undefined })].map(
    (e) =>
      `${e.field.replace('spec.edits[0]', '')}: ${e.message.replace(VALUE, '').replace(/^\S+ in body should match .*/, 'does not match')}`,
  )
}

const path = 'spec.chart.spec.version'

describe('edits of a promotion', () => {
  it('are a schema that an API server takes, once for each of 64 environments', () => {
    const environments = z.array(z.object({ edits })).max(64)
    const many = { type: 'object', properties: { spec: structuralSchema(z.object({ environments })) } }
    expect(checkCrdSchema(many as never, '', { hasStatus: false })).toEqual([])
  })

  it.each([
    { marker: true },
    { marker: true, paths: ['apps/**/*.yaml', '!apps/old/**', 'x?.yml'], valueExpr: 'revision' },
    { file: 'a.yaml', path },
    {
      file: '.hidden/..a/b.c/...',
      path: 'a',
      where: { kind: 'HelmRelease', name: 'podinfo', namespace: 'x' },
    },
    ...['[0]', 'a[0][1].b', 'a[name=x y]', 'metadata.annotations["a.b/c"].d', 'a-b_c/d', '["a"]'].map(
      (p) => ({
        file: 'a.yaml',
        path: p,
      }),
    ),
    ...['newTag', 'newName', 'digest'].map((set) => ({
      kustomizeImage: { file: 'kustomization.yaml', name: 'ghcr.io/a/b', set },
    })),
    { helmValue: { file: 'values.yaml', key: 'image.tag' }, valueExpr: "revision + '-x'" },
  ])('%j', (edit) => expect(refused(edit)).toEqual([]))

  it.each([
    [{}, [': exactly one of marker, file, kustomizeImage, helmValue; found none']],
    [
      { marker: true, file: 'a', path },
      [': exactly one of marker, file, kustomizeImage, helmValue; found marker file'],
    ],
    [{ marker: false }, ['.marker: must be true or omitted']],
    [{ file: 'a.yaml' }, [': file and path must be set together']],
    [{ marker: true, path }, [': file and path must be set together']],
    [{ marker: true, where: { kind: 'A', name: 'b' } }, ['.where: requires file and path']],
    [{ helmValue: { file: 'a', key: 'b' }, paths: ['*'] }, ['.paths: requires marker']],
    [{ marker: true, paths: ['!a'] }, ['.paths: must contain a pattern without !']],
    ...['/etc/passwd', '../a', 'a/../b', './a', 'a//b', 'a/', 'a\\b', 'a\nb', '.', '..', 'a/..'].map(
      (file) => [{ file, path }, ['.file: does not match']] as const,
    ),
    ...['/a', '{a,b}.yaml', '[ab].yaml', 'a\\*', '!!a', '!'].map(
      (p) => [{ marker: true, paths: [p, 'b'] }, ['.paths[0]: does not match']] as const,
    ),
    ...['.a', 'a.', 'a..b', 'a[x]', 'a[name=]', 'a[0', 'a b', 'a["b"c', 'a.[0]', 'a[-1]'].map(
      (p) => [{ file: 'a', path: p }, ['.path: does not match']] as const,
    ),
  ] as const)('%j is refused', (edit, problems) => expect(refused(edit)).toEqual(problems))

  it('refuses a field of an image that is none', () => {
    expect(refused({ kustomizeImage: { file: 'a', name: 'b', set: 'tag' } })).toEqual([
      '.kustomizeImage.set: Unsupported value: "tag": supported values: "newTag", "newName", "digest"',
      '<nil>: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ])
  })
})

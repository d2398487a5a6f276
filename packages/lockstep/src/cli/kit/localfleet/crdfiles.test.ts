import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { crdFiles } from './crdfiles.ts'

it.each(Object.entries(crdFiles()))(
  'crds/%s is what packages/lockstep/src/api says: npm run generate',
  (name, text) => {
    expect(readFileSync(`crds/${name}`, 'utf8')).toBe(text)
  },
)

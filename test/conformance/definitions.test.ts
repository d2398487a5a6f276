/** An API server accepts the definitions of Lockstep's own kinds. */
import { describe, expect, it } from 'vitest'
import { testCluster } from '../../packages/apiserver/src/server/testcluster.cases.ts'
import { at } from '../../packages/kube/src/object/index.ts'
import { ownCrds } from '../../packages/lockstep/src/api/crd/index.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const { call } = testCluster()

describe('our own definitions', () => {
  it.each(ownCrds().map((crd) => [String(at(crd, 'metadata', 'name')), crd]))(
    '%s: every rule compiles and stays within its cost',
    async (_, crd) => {
      expect(await call('POST', DEFINITIONS, crd)).toMatchObject({ status: 201 })
    },
  )
})

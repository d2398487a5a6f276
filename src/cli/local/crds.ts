/** The definitions of our kinds as the file in `crds/` has them. */
import { ownCrds } from '../../api/crd.ts'
import { encodeYaml } from '../../object/object.ts'

const HEAD = '# Generated from src/api by npm run generate. Not edited by hand.\n'

export const crdsYaml = (): string =>
  HEAD +
  ownCrds()
    .map((crd) => `---\n${encodeYaml(crd)}`)
    .join('')

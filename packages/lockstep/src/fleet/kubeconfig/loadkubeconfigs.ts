import { type Env, ok, type Result } from '@lockstep/kube/env'
import { type KubeconfigFailure, kubeconfigFailure } from './kubeconfigfailure.ts'
import type { KubeconfigText } from './mergekubeconfigs.ts'

/** Texts of files. Missing ones are skipped, as kubectl does; others that cannot be read fail. */
export async function loadKubeconfigs(
  { files }: Pick<Env, 'files'>,
  paths: readonly string[],
): Promise<Result<KubeconfigText[], KubeconfigFailure>> {
  const texts: KubeconfigText[] = []
  for (const path of paths) {
    const read = await files.read(path)
    if (read.ok) texts.push({ path, text: new TextDecoder().decode(read.value) })
    else if (read.error.kind !== 'NotFound') return kubeconfigFailure(path, '', read.error.message)
  }
  return ok(texts)
}

/** A credential that its owner replaces: that of a Secret, which is watched. */
import { type Endpoint, type NetFailure, ok, type Result } from '@lockstep/kube/env'

export class ReplaceableCredential {
  private endpoint: Endpoint

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint
  }

  replace(endpoint: Endpoint): void {
    this.endpoint = endpoint
  }

  async get(): Promise<Result<Endpoint, NetFailure>> {
    return ok(this.endpoint)
  }

  /** After a refusal: the present one, which may be another by now. */
  renew(_refused: Endpoint): Promise<Result<Endpoint, NetFailure>> {
    return this.get()
  }
}

import type { Connection, Env } from '@lockstep/kube/env'

/** When the hub last answered a request of this process with success. */
export class HubPulse {
  private readonly env: Pick<Env, 'clock'>
  private answeredAt: number | undefined

  constructor(env: Pick<Env, 'clock'>) {
    this.env = env
  }

  /** Milliseconds since then; undefined: never. */
  get answeredMs(): number | undefined {
    return this.answeredAt === undefined ? undefined : this.env.clock.steady() - this.answeredAt
  }

  /** The same connection, whose answers count. */
  count(connection: Connection): Connection {
    return {
      request: async (request) => {
        const answer = await connection.request(request)
        if (answer.ok && answer.value.status < 400) this.answeredAt = this.env.clock.steady()
        return answer
      },
      close: (when) => connection.close(when),
    }
  }
}

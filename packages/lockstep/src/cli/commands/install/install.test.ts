import { describe, expect, it } from 'vitest'
import { sit } from '../../../../../../test/e2e/person.ts'

const install = (args: string) => sit(['install', ...args.split(' ')], {})

describe('lockstep install', () => {
  it.each([
    ['--namespaces platform', /--image is missing/, /--controller=false/],
    ['--image https://example.com/x', /--image: "https:\/\/example.com\/x" is not an image/, /for example/],
    ['--image a:1 --controller=false', /exclude each other/, /use one of them/],
    ['--controller=maybe', /'maybe' is invalid/, /help/],
  ])('refuses %s', async (args, problem, hint) => {
    const { code, err } = await install(args)
    expect(code).toBe(2)
    expect(err).toMatch(problem)
    expect(err).toMatch(hint)
  })

  it('prints the Deployment with the image that is named, by tag or digest', async () => {
    for (const image of ['localhost:5000/lockstep:1.2.3', `example.com/a/b@sha256:${'0'.repeat(64)}`]) {
      const { code, out } = await install(`--namespaces platform --image ${image}`)
      expect(code).toBe(0)
      expect(out).toContain(`image: ${image}\n`)
    }
  })

  it('prints no Deployment for a controller that runs elsewhere', async () => {
    const { code, out } = await install('--namespaces platform --controller=false')
    expect([code, /^kind: Deployment$/m.test(out)]).toEqual([0, false])
  })
})

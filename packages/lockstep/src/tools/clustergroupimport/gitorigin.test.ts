import { describe, expect, it } from 'vitest'
import { branchIn, gitOriginIn, sourceUrlOf } from './gitorigin.ts'

describe('the origin of a repository', () => {
  const config = (more: string): string => `[core]\n\turl = no\n${more}[branch "main"]\n\tremote = origin\n`
  it.each([
    ['[remote "origin"]\n\turl = https://git.example.com/a\n\tfetch = b\n', 'https://git.example.com/a'],
    ['[remote "other"]\n\turl = https://b\n[remote "origin"]\r\n  url=ssh://git@c/d\r\n', 'ssh://git@c/d'],
    ['[remote "other"]\n\turl = https://b\n', undefined],
  ])('%j', (remotes, url) => expect(gitOriginIn(config(remotes))).toBe(url))

  it.each([
    ['https://git.example.com/a.git', 'https://git.example.com/a.git'],
    ['https://me:secret@git.example.com/a', 'https://git.example.com/a'],
    ['https://token@git.example.com/a', 'https://git.example.com/a'],
    ['git@github.com:acme/pattern.git', 'ssh://git@github.com/acme/pattern.git'],
    ['github.com:/acme/pattern', 'ssh://git@github.com/acme/pattern'],
    ['ssh://git:secret@host/a', 'ssh://git@host/a'],
    ['file:///srv/a', 'file:///srv/a'],
  ])('%s is %s', (remote, url) => expect(sourceUrlOf(remote)).toBe(url))

  it('has a branch, unless a commit is checked out', () => {
    expect(branchIn('ref: refs/heads/feature/a\n')).toBe('feature/a')
    expect(branchIn('0123456789012345678901234567890123456789\n')).toBeUndefined()
  })
})

import { expect, it } from 'vitest'
import { isProtected } from './protected-paths.ts'

it.each([
  '/ws/.git/hooks/pre-commit',
  '/ws/sub/.git',
  '/ws/.GIT/config',
  // names that some disks take for the same: other cases, characters that they skip, ends that they cut, short names
  '/ws/.g\u200cit/config',
  '/ws/.gi\u00adt/config',
  '/ws/.ſſh/authorized_keys',
  '/ws/.git./config',
  '/ws/.git /config',
  '/ws/.git::$INDEX_ALLOCATION/config',
  '/ws/git~1/config',
  '/ws/package.json.',
  '/ws/ＭＡＫＥＦＩＬＥ',
  // a repository that is called otherwise
  '/ws/sub/HEAD',
  '/ws/fixtures/repo.git/config',
  '/ws/fixtures/repo.git',
  // read by a program that is merely started in the folder
  '/ws/.gdbinit',
  '/ws/.lldbinit',
  '/ws/.Rprofile',
  '/ws/.pdbrc',
  '/ws/.ghci',
  '/ws/.irbrc',
  '/ws/.bazelrc',
  '/ws/shell.nix',
  '/ws/flake.nix',
  '/ws/.jj/repo/config.toml',
  '/ws/.svn/wc.db',
  // what builds and tests run
  '/ws/pyproject.toml',
  '/ws/tox.ini',
  '/ws/noxfile.py',
  '/ws/CMakeLists.txt',
  '/ws/build.gradle.kts',
  '/ws/pom.xml',
  '/ws/Gemfile',
  '/ws/Vagrantfile',
  '/ws/action.yml',
  '/ws/.pnp.cjs',
  '/ws/.lintstagedrc.json',
  '/ws/setup.cfg',
  // of other agents, and of programs that sign in
  '/ws/.kiro/settings/mcp.json',
  '/ws/.aider.conf.yml',
  '/home/ada/.kube/config',
  '/home/ada/.aws/config',
  '/home/ada/.vim/plugin/a.vim',
])('%s is asked about', (path) => expect(isProtected(path)).toBe(true))

it.each([
  '/ws/src/index.ts',
  '/ws/git/config',
  '/ws/docs/.github/readme.md',
  '/ws/my.gitignore',
  '/ws/src/head.ts',
  '/ws/é.md',
])('%s is not', (path) => expect(isProtected(path)).toBe(false))

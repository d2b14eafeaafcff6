/**
 * Files that programs run, or take their settings from, without being told to: hooks of Git, profiles of shells, tasks of
 * editors and of CI, scripts of packages, and what Parley and other agents read. Whoever may write them can run anything,
 * so a change of one is always asked about, whatever the mode.
 */
import { compileGlob } from '../shared/glob.ts'

const patterns = [
  // version control and its hooks
  '.git/**',
  '.gitmodules',
  '.gitconfig',
  '.config/git/**',
  '{.husky,.githooks,.hg}/**',
  '{.pre-commit-config.yaml,.pre-commit-config.yml,lefthook.yml,lefthook.yaml,.lefthook.yml}',
  // agents, ours and others
  '{parley.yaml,parley.yml,.mcp.json,opencode.json,opencode.jsonc}',
  '{.parley,.claude,.cursor,.opencode,.agents,.codex,.gemini,.windsurf,.continue}/**',
  // editors
  '{.vscode,.idea,.zed,.devcontainer,.fleet}/**',
  '{.devcontainer.json,*.code-workspace,.vimrc,.nvimrc,.nvim.lua,.exrc,.emacs,.dir-locals.el,.sublime-project}',
  '.config/{nvim,emacs,zed,Code}/**',
  // CI
  '.github/{workflows,actions}/**',
  '{.gitea,.forgejo,.circleci,.buildkite,.woodpecker}/**',
  '{.gitlab-ci.yml,.travis.yml,.drone.yml,.woodpecker.yml,.cirrus.yml,azure-pipelines.yml,bitbucket-pipelines.yml,appveyor.yml}',
  '{jenkinsfile,cloudbuild.yaml,buildspec.yml}',
  // shells and sessions
  '{.profile,.login,.inputrc,.envrc,.bashrc,.bash_profile,.bash_login,.bash_logout,.bash_aliases}',
  '{.zshrc,.zshenv,.zprofile,.zlogin,.zlogout,.kshrc,.cshrc,.tcshrc,.xinitrc,.xprofile,.xsession}',
  '.config/{fish,systemd,autostart,environment.d}/**',
  'library/{launchagents,launchdaemons}/**',
  '{.ssh,.gnupg}/**',
  // tools that read their settings from the folder they are started in
  '{.npmrc,.yarnrc,.yarnrc.yml,.pnpmfile.cjs,.pnpmfile.mjs,bunfig.toml,.netrc,.pypirc,pip.conf,.pythonrc,.pylintrc}',
  '{mise.toml,.mise.toml,.tool-versions,.nvmrc,.node-version,.python-version,.direnvrc}',
  '{.cargo,.mvn,.gradle,.yarn,.bundle}/**',
  // scripts that installing, building or testing runs
  '{package.json,composer.json,binding.gyp,setup.py,conftest.py,sitecustomize.py,usercustomize.py,build.rs}',
  '{makefile,gnumakefile,justfile,.justfile,rakefile,taskfile.yml,taskfile.yaml}',
]

const matchers = patterns.map((pattern) => compileGlob(`**/${pattern.toLowerCase()}`))
// a folder that is protected as a whole: replacing it replaces all that is in it
const folders = patterns
  .filter((pattern) => pattern.endsWith('/**'))
  .map((pattern) => compileGlob(`**/${pattern.slice(0, -3).toLowerCase()}`))

/** Told by an absolute path. Case does not count: on some disks `.GIT` is `.git`. */
export function isProtected(path: string): boolean {
  const lowered = path.toLowerCase()
  return matchers.some((matches) => matches(lowered)) || folders.some((matches) => matches(lowered))
}

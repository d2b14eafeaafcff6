/**
 * Files that programs run, or take their settings from, on their own: hooks of Git, profiles of shells, tasks of
 * editors and of CI, scripts of packages, and what Parley and other agents read. Whoever may write them can run anything,
 * so a change of one is always asked about, whatever the mode.
 */

import { foldLetter } from '../shared/fold-name.ts'

const words = (text: string) => text.trim().split(/\s+/)

/** Everything in them, and they themselves. */
const folders = new Set(
  words(`
    .git git~1 .hg .svn .bzr .jj .husky .githooks
    .parley .claude .cursor .opencode .agents .codex .gemini .windsurf .continue .roo .kiro .kilocode .amazonq .junie .qwen
    .trae .factory .augment .goose
    .vscode .idea .zed .devcontainer .fleet .vim .nvim .emacs.d
    .gitea .forgejo .circleci .buildkite .woodpecker .semaphore .teamcity
    .ssh .gnupg .kube .aws .docker .cargo .mvn .gradle .yarn .bundle .oh-my-zsh
  `),
)

const foldersInFolders = words(`
  .github/workflows .github/actions
  .config/git .config/nvim .config/emacs .config/zed .config/code
  .config/fish .config/systemd .config/autostart .config/environment.d
  library/launchagents library/launchdaemons
`).map((path) => `/${path}/`)

const files = new Set(
  words(`
    .gitmodules .gitconfig .pre-commit-config.yaml .pre-commit-config.yml lefthook.yml lefthook.yaml .lefthook.yml
    parley.yaml parley.yml .mcp.json opencode.json opencode.jsonc .aider.conf.yml crush.json .crush.json
    .devcontainer.json .vimrc .nvimrc .nvim.lua .exrc .emacs .dir-locals.el .sublime-project
    .gitlab-ci.yml .travis.yml .drone.yml .woodpecker.yml .cirrus.yml azure-pipelines.yml bitbucket-pipelines.yml
    appveyor.yml jenkinsfile cloudbuild.yaml buildspec.yml action.yml action.yaml
    .profile .login .inputrc .envrc .bashrc .bash_profile .bash_login .bash_logout .bash_aliases
    .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .xinitrc .xprofile .xsession .xsessionrc
    .pam_environment .forward .procmailrc .mailcap
    .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml bunfig.toml .netrc .pypirc pip.conf .pythonrc .pylintrc
    mise.toml .mise.toml .tool-versions .nvmrc .node-version .python-version .direnvrc
    package.json composer.json binding.gyp setup.py conftest.py sitecustomize.py usercustomize.py build.rs
    makefile gnumakefile justfile .justfile rakefile taskfile.yml taskfile.yaml
    .lintstagedrc .lintstagedrc.js .lintstagedrc.cjs .lintstagedrc.mjs .lintstagedrc.json lint-staged.config.js
    pyproject.toml setup.cfg pytest.ini tox.ini noxfile.py cmakelists.txt pom.xml gemfile vagrantfile
    build.gradle build.gradle.kts settings.gradle settings.gradle.kts gulpfile.js gruntfile.js
    .gdbinit .lldbinit .rprofile .renviron .pdbrc .ghci .irbrc .pryrc .ocamlinit .octaverc .bazelrc
    .curlrc .wgetrc .psqlrc .sqliterc .tmux.conf .screenrc shell.nix flake.nix default.nix
  `),
)

/** Judged by an absolute path, as the least careful disk would read it. */
export function isProtected(path: string): boolean {
  const names = path.replaceAll('\\', '/').split('/').map(toPlainName)
  const lowered = names.join('/')
  const name = names.at(-1)!
  // with a file of this name a folder can be a repository of its own, whose settings Git takes
  if (name === 'head' || files.has(name) || name.endsWith('.code-workspace')) return true
  if (names.some((folder) => folders.has(folder) || folder.endsWith('.git'))) return true
  return foldersInFolders.some((folder) => `${lowered}/`.includes(folder))
}

/**
 * On some disks `.GIT` is `.git`, and so are names with characters that are not drawn, with dots and blanks at their end, and
 * with a stream behind a colon.
 */
function toPlainName(name: string): string {
  const drawn = /^[ -~]*$/.test(name) ? name.toLowerCase() : foldLetter(name.replaceAll(/\p{DI}/gu, ''))
  const [first = ''] = drawn.split(':', 1)
  let end = first.length
  while (end > 0 && (first[end - 1] === '.' || first[end - 1] === ' ')) end--
  return first.slice(0, end)
}

/** Why a block cannot be run where the tests run. Its syntax, and of code the types, are checked all the same. */
export const notRun: Readonly<Record<string, string>> = {
  npm: 'installs packages, or runs the tests from within the tests',
  docker: 'needs a Docker daemon and images from the network',
  service: 'is for the system that starts services',
  proxy: 'is for the program in front of Parley',
  cluster: 'needs several machines',
  provider: "needs a provider's key, or a model on another server",
  program: 'is for a program of others that is not installed',
  shape: 'names files and folders that are made up',
  drawing: 'is a picture made of characters',
}

/** Languages of configurations that only other programs can check. */
export const foreignLanguages = ['dockerfile', 'nginx', 'ini', 'caddyfile', 'promql']

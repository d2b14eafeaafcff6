/** What webhooks bring into what crosses the wire. */
export const webhookWords = {
  wordings: { webhook_secret: 'must be "whsec_" and at least 24 bytes in Base64' },
} as const

/** Made-up secrets of every kind, for specs: built from parts, so that no scanner takes this file for a leak. */
import { seededRng } from '#kernel/random';

const rng = seededRng(7);
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const HEX = '0123456789abcdef';
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Random signs with a digit and both cases among them where the alphabet has them. */
function signs(count: number, alphabet = LETTERS): string {
  const drawn = Array.from({ length: count - 1 }, () => alphabet[rng.int(alphabet.length)]).join('');
  return `${drawn}${alphabet.at(-1) ?? ''}`;
}

const base64 = (text: string): string => btoa(text).replaceAll('=', '');
const pemBody = Array.from({ length: 5 }, () => signs(64)).join('\n');

/** Kind, a text, and the secret in it. */
export interface SecretSample {
  kind: string;
  text: string;
  secret: string;
}

const alone = (kind: string, secret: string): SecretSample => ({
  kind,
  text: `it is ${secret} I think`,
  secret,
});
const within = (kind: string, before: string, secret: string, after = ''): SecretSample => ({
  kind,
  text: `${before}${secret}${after}`,
  secret,
});

export const PRIVATE_KEY = `-----BEGIN RSA ${'PRIVATE'} KEY-----\n${pemBody}\n${signs(20)}=\n-----END RSA ${'PRIVATE'} KEY-----`;
export const VISA = '4111 1111 1111 1111';

export const SECRET_SAMPLES: readonly SecretSample[] = [
  alone('anthropic_key', `sk-ant-api03-${signs(90)}`),
  alone('openrouter_key', `sk-or-v1-${signs(64, HEX)}`),
  alone('langfuse_key', `sk-lf-${signs(8, HEX)}-1a2b-4c3d-8e4f-${signs(12, HEX)}`),
  alone('openai_key', `sk-proj-${signs(80)}`),
  alone('api_key', `sk-${signs(48)}`),
  alone('huggingface_token', `hf_${signs(34)}`),
  alone('groq_key', `gsk_${signs(52)}`),
  alone('xai_key', `xai-${signs(80)}`),
  alone('perplexity_key', `pplx-${signs(48)}`),
  alone('replicate_token', `r8_${signs(37)}`),
  alone('tavily_key', `tvly-dev-${signs(32)}`),
  alone('aws_access_key', `AKIA${signs(16, CAPITALS)}`),
  within('aws_secret_key', 'aws_secret_access_key = ', signs(40)),
  within('aws_secret_key', '"SecretAccessKey": "', signs(40), '"'),
  within('aws_session_token', 'AWS_SESSION_TOKEN=', signs(200)),
  within('aws_signature', 'https://b.s3.amazonaws.com/k?X-Amz-Signature=', signs(64, HEX), '&x=1'),
  alone('gcp_key', `AIza${signs(35)}`),
  alone('gcp_token', `ya29.${signs(60)}`),
  alone('gcp_client_secret', `GOCSPX-${signs(28)}`),
  within('azure_storage_key', 'AccountName=a;AccountKey=', `${signs(86)}==`, ';Endpoint=x'),
  alone('digitalocean_token', `dop_v1_${signs(64, HEX)}`),
  alone('databricks_token', `dapi${signs(32, HEX)}`),
  alone('vault_token', `hvs.${signs(90)}`),
  alone('github_token', `ghp_${signs(36)}`),
  alone('github_token', `github_pat_${signs(22)}_${signs(59)}`),
  alone('gitlab_token', `glpat-${signs(20)}`),
  alone('npm_token', `npm_${signs(36)}`),
  alone('pypi_token', `pypi-AgE${signs(120)}`),
  alone('docker_token', `dckr_pat_${signs(27)}`),
  alone('atlassian_token', `ATATT3${signs(180)}`),
  alone('postman_key', `PMAK-${signs(24, HEX)}-${signs(34, HEX)}`),
  alone('slack_token', `xoxb-${signs(12, '0123456789')}-${signs(24)}`),
  within(
    'slack_webhook',
    'https://hooks.slack.com/services/',
    `T${signs(10, CAPITALS)}/B${signs(10, CAPITALS)}/${signs(24)}`,
  ),
  alone('stripe_key', `sk_live_${signs(24)}`),
  alone('webhook_secret', `whsec_${signs(32)}`),
  alone('sendgrid_key', `SG.${signs(22)}.${signs(43)}`),
  alone('shopify_token', `shpat_${signs(32, HEX)}`),
  alone('square_secret', `sq0csp-${signs(43)}`),
  alone('linear_key', `lin_api_${signs(40)}`),
  alone('notion_token', `ntn_${signs(46)}`),
  alone('supabase_token', `sbp_${signs(40, HEX)}`),
  alone('newrelic_key', `NRAK-${signs(27, CAPITALS)}`),
  alone('age_key', `AGE-SECRET-KEY-1${signs(58, CAPITALS)}`),
  alone('telegram_token', `123456789:AA${signs(33)}`),
  alone('private_key', PRIVATE_KEY),
  alone(
    'jwt',
    `${base64('{"alg":"HS256","typ":"JWT"}')}.${base64('{"sub":"1234567890","iat":1516239022}')}.${signs(43)}`,
  ),
  within('bearer_token', "curl -H 'X-Auth: Bearer ", signs(32), "' https://a.example"),
  within('authorization', 'Authorization: Basic ', btoa('ada:lovelace'), '\r\n'),
  within('authorization', '{"authorization": "Token ', 'a1b2c3d4', '"}'),
  within('cookie', 'Cookie: theme=dark; session=', 'a1b2c3', '; lang=en'),
  within('cookie', 'Set-Cookie: sid=', signs(40), '; Path=/; HttpOnly'),
  within('url_password', 'postgres://app:', 'hunter2', '@db.internal:5432/app'),
  within('assigned_secret', '"api_key": "', signs(32), '"'),
  within('assigned_secret', 'https://a.example/v1?access_token=', signs(40), '&page=2'),
  alone('card_number', VISA),
  alone('card_number', '4111-1111-1111-1111'),
  alone('card_number', '3782 822463 10005'),
  within('card_number', 'my card ', '5555555555554444', ', thanks'),
];

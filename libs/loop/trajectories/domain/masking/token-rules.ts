/** Keys and tokens that carry their issuer's mark. Prefixes and lengths are the issuers' own, as they publish them. */
import { ASSIGNED_SECRET, looksRandom, type SecretRule, type Sign } from './rule.js';

/** A prefix that ends in `sign`, and what follows it; `{n,}` counts are the shortest the issuer gives out. */
function marked(kind: string, prefix: string, rest: string): SecretRule {
  const sign = prefix.at(-1) as Sign;
  const before = prefix.slice(0, -1);
  const pattern = new RegExp(`(?:${before})${sign === '.' ? '\\.' : sign}${rest}`, 'g');
  return { kind, probe: { prefix: before, sign }, pattern };
}

/** As above for a prefix that ends in a letter. */
function lettered(kind: string, prefix: string, rest: string): SecretRule {
  return { kind, probe: { expression: prefix }, pattern: new RegExp(`(?:${prefix})${rest}`, 'g') };
}

const AFTER_WORD = '(?![A-Za-z0-9])';

const MODEL_PROVIDERS: readonly SecretRule[] = [
  marked('anthropic_key', 'sk-ant-', '[a-z0-9]{2,10}-[A-Za-z0-9_-]{20,}'),
  marked('openrouter_key', 'sk-or-v1-', '[0-9a-f]{32,}'),
  marked('langfuse_key', 'sk-lf-', '[0-9a-f]{8}-[0-9a-f-]{27}'),
  marked('openai_key', 'sk-(?:proj|svcacct|admin|None)-', '[A-Za-z0-9_-]{20,}'),
  {
    kind: 'api_key',
    probe: { prefix: 'sk', sign: '-' },
    pattern: /sk-[A-Za-z0-9]{20,}(?![A-Za-z0-9-])/g,
    confirm: (secret) => looksRandom(secret.slice(3)),
  },
  marked('huggingface_token', '(?:hf|api_org)_', '[A-Za-z0-9]{34,40}' + AFTER_WORD),
  marked('groq_key', 'gsk_', '[A-Za-z0-9]{40,}'),
  marked('xai_key', 'xai-', '[A-Za-z0-9]{60,}'),
  marked('perplexity_key', 'pplx-', '[A-Za-z0-9]{40,}'),
  marked('replicate_token', 'r8_', '[A-Za-z0-9]{37,40}' + AFTER_WORD),
  {
    kind: 'tavily_key',
    probe: { prefix: 'tvly', sign: '-' },
    pattern: /tvly-(?:dev-|prod-)?[A-Za-z0-9_-]{20,}/g,
    confirm: (secret) => looksRandom(secret.slice(5)),
  },
];

const CLOUDS: readonly SecretRule[] = [
  lettered('aws_access_key', 'A(?:KIA|SIA|BIA|CCA)', '[A-Z0-9]{16}' + '(?![A-Za-z0-9+/=_-])'),
  {
    kind: 'aws_secret_key',
    probe: { expression: ASSIGNED_SECRET },
    pattern:
      /(?:secret_?access_?key|aws_secret(?:_key)?)["'\\\s]{0,6}(?:[:=]|=>)["'\\\s]{0,6}(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/dgi,
    insideWord: true,
  },
  {
    kind: 'aws_session_token',
    probe: { expression: ASSIGNED_SECRET },
    pattern:
      /(?:session|security)[_-]?token["'\\\s]{0,6}(?:[:=]|=>)["'\\\s]{0,6}(?<secret>[A-Za-z0-9/+=%]{100,})/dgi,
    insideWord: true,
  },
  {
    kind: 'aws_signature',
    probe: { expression: 'X-Amz-S' },
    pattern: /X-Amz-Signature=(?<secret>[0-9a-f]{64})/dg,
    insideWord: true,
  },
  lettered('gcp_key', 'AIza', '[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])'),
  marked('gcp_token', 'ya29.', '[A-Za-z0-9_-]{20,}'),
  marked('gcp_client_secret', 'GOCSPX-', '[A-Za-z0-9_-]{28}'),
  {
    kind: 'azure_storage_key',
    probe: { expression: 'AccountKey=' },
    pattern: /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/dg,
  },
  marked('digitalocean_token', 'do[opr]_v1_', '[a-f0-9]{64}'),
  lettered('databricks_token', 'dapi[0-9a-f]', '[0-9a-f]{31}(?:-[0-9])?' + AFTER_WORD),
  marked('vault_token', 'hv[sb].', '[A-Za-z0-9_-]{24,}'),
];

const CODE_HOSTS: readonly SecretRule[] = [
  marked('github_token', 'gh[pousr]_', '[A-Za-z0-9]{36,255}'),
  marked('github_token', 'github_pat_', '[A-Za-z0-9_]{22,255}'),
  marked('gitlab_token', 'gl(?:pat|dt|rt|cbt|ptt|ft|imt|soat|oas|agent)-', '[A-Za-z0-9_-]{20,300}'),
  marked('npm_token', 'npm_', '[A-Za-z0-9]{36}' + AFTER_WORD),
  marked('pypi_token', 'pypi-', 'AgE[A-Za-z0-9_-]{50,}'),
  marked('docker_token', 'dckr_(?:pat|oat)_', '[A-Za-z0-9_-]{27,}'),
  lettered('atlassian_token', 'ATATT3', '[A-Za-z0-9_=-]{100,}'),
  marked('postman_key', 'PMAK-', '[0-9a-f]{24}-[0-9a-f]{34}'),
];

const SERVICES: readonly SecretRule[] = [
  marked('slack_token', '(?:xox[abeoprs]|xapp)-', '[A-Za-z0-9-]{10,}'),
  {
    kind: 'slack_webhook',
    probe: { expression: 'hooks\\.slack' },
    pattern: /hooks\.slack\.com\/(?:services|workflows)\/(?<secret>[A-Za-z0-9/_-]{30,})/dg,
    insideWord: true,
  },
  marked('stripe_key', '[sr]k_(?:live|test)_', '[A-Za-z0-9]{16,}'),
  marked('webhook_secret', 'whsec_', '[A-Za-z0-9+/=]{24,}'),
  marked('sendgrid_key', 'SG.', String.raw`[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`),
  marked('shopify_token', 'shp(?:at|ca|pa|ss)_', '[a-fA-F0-9]{32}'),
  marked('square_secret', 'sq0csp-', '[A-Za-z0-9_-]{43}'),
  marked('linear_key', 'lin_api_', '[A-Za-z0-9]{40}'),
  marked('notion_token', 'ntn_', '[A-Za-z0-9]{40,}'),
  marked('supabase_token', 'sb(?:p|_secret)_', '[A-Za-z0-9_]{30,}'),
  marked('newrelic_key', 'NRAK-', '[A-Z0-9]{27}'),
  marked('age_key', 'AGE-SECRET-KEY-', '1[A-Z0-9]{58}'),
  {
    kind: 'telegram_token',
    probe: { expression: ':AA[A-Za-z0-9_-]{33}' },
    pattern: /\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g,
  },
];

export const TOKEN_RULES: readonly SecretRule[] = [...MODEL_PROVIDERS, ...CLOUDS, ...CODE_HOSTS, ...SERVICES];

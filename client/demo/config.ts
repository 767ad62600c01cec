// The configuration of the deployment, from the gateway.
export interface DemoConfig {
  readonly appName: string;
  readonly profile: 'A' | 'B';
  /** Whether the service has the shop. */
  readonly business: boolean;
  /** Path before `/api/v1`. */
  readonly baseUrl: string;
  /** The public URL, if there is one. */
  readonly issuer?: string;
  readonly accounts: readonly { readonly username: string; readonly password: string; readonly label: string }[];
}

export async function readConfig(): Promise<DemoConfig> {
  const response = await fetch('/demo/config.json');
  if (!response.ok) throw new Error(`The configuration of the demo is missing (${response.status})`);
  return (await response.json()) as DemoConfig;
}

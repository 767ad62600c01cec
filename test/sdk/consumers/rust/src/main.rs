use std::env::var;
use std::error::Error;
use std::time::Duration;

use tonic::transport::Endpoint;
use tonic::{Request, Status};
use tonic_types::StatusExt;

#[allow(dead_code)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/authservice.rs"));
}
use generated::authservice::clientcredentials::v1::IssueTokenRequest;
use generated::authservice::clientcredentials::v1::client_credentials_service_client::ClientCredentialsServiceClient;
use generated::authservice::identity::v1::GetMeRequest;
use generated::authservice::identity::v1::identity_service_client::IdentityServiceClient;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // The deadline of each call.
    let channel = Endpoint::from_shared(var("CORE_URL")?)?.timeout(Duration::from_secs(5)).connect_lazy();

    let grant = IssueTokenRequest {
        grant_type: Some("client_credentials".into()),
        client_id: Some(var("CORE_CLIENT_ID")?),
        client_secret: Some(var("CORE_CLIENT_SECRET")?),
        ..Default::default()
    };
    let issued = ClientCredentialsServiceClient::new(channel.clone()).issue_token(grant).await?.into_inner();

    // The largest responses exceed the default of 4 MiB.
    let mut identity = IdentityServiceClient::new(channel).max_decoding_message_size(32 << 20);
    let mut request = Request::new(GetMeRequest {});
    request.metadata_mut().insert("authorization", format!("Bearer {}", issued.access_token).parse()?);
    let account = identity.get_me(request).await?.into_inner().account.unwrap_or_default();
    println!("account: {}", account.username);

    if let Err(error) = identity.get_me(GetMeRequest {}).await {
        println!("without a token: {}", reason_of(&error));
    }
    Ok(())
}

/// The reason of an error from the core. Branch on it, never on the text.
fn reason_of(error: &Status) -> String {
    error.get_error_details().error_info().map(|info| info.reason.clone()).unwrap_or_default()
}

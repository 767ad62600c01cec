fn main() -> std::io::Result<()> {
    tonic_prost_build::configure()
        .build_server(false)
        .include_file("authservice.rs")
        .compile_protos(
            &[
                "proto/authservice/clientcredentials/v1/client_credentials_service.proto",
                "proto/authservice/identity/v1/identity_service.proto",
            ],
            &["proto"],
        )
}

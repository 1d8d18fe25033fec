//! Signatures of tokens, checked by ring: TLS needs it, and a second library of the kind would be one more to trust.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    // They are for making keys out of others, and nothing here does.
    key_utils: KeyUtils::new_unimplemented(),
};

/// Says that signatures are checked here.
pub(super) fn install() {
    // Another server of this process may have said so.
    let _ = PROVIDER.install_default();
}

/// Nothing is signed here.
fn signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(ErrorKind::InvalidAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    match (algorithm, key.kind()) {
        (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { .. })
        | (Algorithm::ES256, DecodingKeyKind::SecretOrDer(_)) => {
            Ok(Box::new(PublicKey { algorithm: *algorithm, key: key.clone() }))
        }
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

/// What a key signed.
struct PublicKey {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for PublicKey {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        let checked = match self.key.kind() {
            DecodingKeyKind::RsaModulusExponent { n, e } => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            DecodingKeyKind::SecretOrDer(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
        };
        checked.map_err(|_| Error::new())
    }
}

impl JwtVerifier for PublicKey {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

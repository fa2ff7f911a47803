package import LatchkeyModel

/// The Unicode forms of a password.
///
/// Some keyboards type a letter and its accent as one character, and others as two. RFC 8265 (OpaqueString)
/// therefore compares passwords in NFC. No other mapping is applied.
extension Secret {
    /// The password in NFC, which is the form that new hashes are computed from.
    package var composed: Secret { Secret(exposed.composed) }

    /// The forms in which a password is compared with a stored hash, in this order: in NFC, and as it was
    /// typed if that is different.
    ///
    /// Other systems, whose hashes can be imported, may have hashed the password as it was typed.
    package var spellings: [Secret] {
        let composed = composed
        return composed.exposed.utf8.elementsEqual(exposed.utf8) ? [self] : [composed, self]
    }
}

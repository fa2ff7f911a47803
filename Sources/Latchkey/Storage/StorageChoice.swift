/// The store that an app chooses for its session.
public enum StorageChoice: String, Sendable, CaseIterable {
    /// The keyring if one is available, otherwise an encrypted file. An existing session remains in its store
    /// until it is removed; a session in the keyring never moves to the file.
    case automatic

    /// Only the user's keyring, through the Secret Service.
    case secretService = "secret-service"

    /// Uses only an encrypted file; a session in the keyring is neither used nor removed.
    case encryptedFile = "encrypted-file"

    /// Only memory; the session ends with the process.
    case memory
}

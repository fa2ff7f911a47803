/// The store that an app chooses for its session.
public enum StorageChoice: String, Sendable, CaseIterable {
    /// The keyring if one is available, otherwise an encrypted file. An existing session stays in its store
    /// until it is removed; one in the keyring never moves to the file.
    case automatic

    /// Only the user's keyring, through the Secret Service.
    case secretService = "secret-service"

    /// Only an encrypted file; a session in the keyring is neither found nor removed.
    case encryptedFile = "encrypted-file"

    /// Memory; the session ends with the process.
    case memory
}

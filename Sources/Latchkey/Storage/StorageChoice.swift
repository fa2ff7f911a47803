/// Where an app wants its session to be kept.
public enum StorageChoice: String, Sendable, CaseIterable {
    /// In the keyring if there is one, else in an encrypted file; and where the session is already, as long as it
    /// is there. A session in the keyring never moves to the file.
    case automatic

    /// In the user's keyring and nowhere else.
    case secretService = "secret-service"

    /// In an encrypted file and nowhere else; a session in the keyring is neither found nor removed.
    case encryptedFile = "encrypted-file"

    /// In memory: the session ends with the process.
    case memory
}

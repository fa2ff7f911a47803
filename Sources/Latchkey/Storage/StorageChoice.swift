/// Where a session is stored.
public enum StorageChoice: String, Sendable, CaseIterable {
    /// Uses the keyring if one is available, or else an encrypted file.
    ///
    /// An existing session stays in the keyring or in the file until it is removed. A session in the keyring
    /// is never moved to the file.
    case automatic

    /// Only uses the user's keyring. On Linux, this is the Secret Service of the desktop environment.
    case keyring

    /// Stores the session in an encrypted file, and never in the keyring.
    ///
    /// If the keyring contains a session, it is neither used nor removed.
    case file

    /// Only uses memory.
    ///
    /// The session is lost when the process exits.
    case memory
}

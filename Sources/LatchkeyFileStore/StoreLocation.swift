public import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The two folders of an encrypted file store.
///
/// The contents of both folders are needed to decrypt a record.
public struct StoreLocation: Sendable {
    /// The folder for the sealed records and their lock files.
    public var dataFolder: String

    /// The folder for the key.
    public var keyFolder: String

    /// Creates a location.
    ///
    /// The folders are created with mode 0700 when they are first needed.
    ///
    /// - Parameters:
    ///   - dataFolder: The folder for the sealed records and their lock files.
    ///   - keyFolder: The folder for the key. This folder should not be part of a backup that contains the
    ///     records.
    public init(dataFolder: String, keyFolder: String) {
        self.dataFolder = dataFolder
        self.keyFolder = keyFolder
    }

    /// Returns the default location according to the XDG base directory specification.
    ///
    /// The folders are named `latchkey` and are located in the data folder and in the state folder.
    ///
    /// The data folder is `XDG_DATA_HOME` or `~/.local/share`. The state folder is `XDG_STATE_HOME` or
    /// `~/.local/state`.
    ///
    /// - Returns: The default location. The key is stored in the state folder.
    /// - Throws: `SessionStoreError` if `HOME` is needed but is not set, or if a variable isn't UTF-8.
    public static func standard() throws(SessionStoreError) -> StoreLocation {
        for name in ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
            guard let value = getenv(name), String(validatingCString: value) == nil else { continue }
            throw SessionStoreError(.failed, message: "The environment variable \(name) is not UTF-8.")
        }
        return try standard { name in getenv(name).flatMap { String(validatingCString: $0) } }
    }

    static func standard(variable: (String) -> String?) throws(SessionStoreError) -> StoreLocation {
        // The specification requires relative paths to be ignored.
        func folder(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = folder("HOME")
        guard
            let data = folder("XDG_DATA_HOME") ?? home.map({ $0 + "/.local/share" }),
            let state = folder("XDG_STATE_HOME") ?? home.map({ $0 + "/.local/state" })
        else {
            throw SessionStoreError(
                .failed,
                message: "HOME is not set, so the session has no default folder."
            )
        }
        return StoreLocation(dataFolder: data + "/latchkey", keyFolder: state + "/latchkey")
    }
}

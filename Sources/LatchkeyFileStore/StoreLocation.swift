public import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The two folders of an encrypted file store; whoever has only one of them can read nothing.
public struct StoreLocation: Sendable {
    /// The folder of the sealed records and their lock files.
    public var dataFolder: String

    /// The folder of the key.
    public var keyFolder: String

    /// Names the folders; they are made when they are first needed, for this user alone.
    ///
    /// - Parameters:
    ///   - dataFolder: The folder of the sealed records and their lock files.
    ///   - keyFolder: The folder of the key, which should be in no backup that holds the records.
    public init(dataFolder: String, keyFolder: String) {
        self.dataFolder = dataFolder
        self.keyFolder = keyFolder
    }

    /// The folders that the XDG base directory specification gives: `latchkey` in the data and the state folder.
    ///
    /// - Returns: The location.
    /// - Throws: `SessionStoreError` when the environment names no home.
    public static func standard() throws(SessionStoreError) -> StoreLocation {
        try standard { name in getenv(name).map { String(cString: $0) } }
    }

    static func standard(variable: (String) -> String?) throws(SessionStoreError) -> StoreLocation {
        // The specification has relative paths ignored.
        func folder(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = folder("HOME")
        guard
            let data = folder("XDG_DATA_HOME") ?? home.map({ $0 + "/.local/share" }),
            let state = folder("XDG_STATE_HOME") ?? home.map({ $0 + "/.local/state" })
        else {
            throw SessionStoreError(.failed, "HOME is not set, so that there is no place for the session.")
        }
        return StoreLocation(dataFolder: data + "/latchkey", keyFolder: state + "/latchkey")
    }
}

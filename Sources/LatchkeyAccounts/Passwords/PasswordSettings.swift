package import LatchkeyServerKit

/// The settings for logins with passwords, and for the cost of their hashes (Argon2id).
///
/// A change of the memory or the number of passes applies to new hashes. An older hash is replaced the next
/// time its user logs in.
public struct PasswordSettings: Sendable {
    /// The memory that one hash uses, in KiB.
    ///
    /// The value must be between 8 KiB and 4 GiB. The server needs this amount of memory for each of its
    /// ``threads``.
    public var memory = 19_456

    /// The number of passes over the memory.
    ///
    /// The value must be between 1 and 100.
    public var passes = 2

    /// The number of hashes that are computed concurrently.
    ///
    /// The value must be between 1 and 256; each concurrent computation has its own thread.
    public var threads = 2

    /// The maximum number of waiting hashes; further requests are rejected with 503.
    ///
    /// The value must be between 1 and 100,000.
    public var queue = 64

    /// Whether users can log in with a password.
    ///
    /// Login with a password and login with a code cannot both be disabled.
    public var isLoginEnabled = true

    /// The maximum length of a password in bytes.
    ///
    /// The value must be between 64 and 65,536 bytes of UTF-8.
    public var maximumLength = 1024

    /// A list of breached passwords: either a folder of range files, or one file with all hashes.
    ///
    /// The list must have the format of Have I Been Pwned. The check is disabled if the value is `nil`.
    public var breaches: String?

    /// The maximum number of times that a new password may occur in breaches.
    ///
    /// The value must be between 0 and 1,000,000; with 0, every password on the list is rejected.
    public var toleratedBreaches = 0

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for passwords.
    package static let settings: [Setting<PasswordSettings>] = [
        Setting(
            "passwords.memory_kib",
            member: \.memory,
            kind: .number(8...4_194_304),
            summary: "The memory cost of a password hash (Argon2id), in KiB."
        ),
        Setting(
            "passwords.passes",
            member: \.passes,
            kind: .number(1...100),
            summary: "The time cost of a password hash: the number of Argon2id passes over the memory."
        ),
        Setting(
            "passwords.threads",
            member: \.threads,
            kind: .number(1...256),
            summary: "How many passwords are hashed concurrently."
        ),
        Setting(
            "passwords.queue",
            member: \.queue,
            kind: .number(1...100_000),
            summary: "How many passwords may wait to be hashed; further requests receive status 503."
        ),
        Setting(
            "passwords.login",
            member: \.isLoginEnabled,
            kind: .toggle,
            summary: "Whether users may log in with a password."
        ),
        Setting(
            "passwords.maximum_length",
            member: \.maximumLength,
            kind: .number(64...65_536),
            summary: "The maximum length of a password, in bytes."
        ),
        Setting(
            "passwords.breaches",
            member: \.breaches,
            kind: .optional(.text),
            summary:
                "A list of breached passwords in the format of Have I Been Pwned: a folder of range files, or one file with all hashes."
        ),
        Setting(
            "passwords.tolerated_breaches",
            member: \.toleratedBreaches,
            kind: .number(0...1_000_000),
            summary:
                "How many times a new password may occur in the list of breached passwords and still be accepted."
        ),
    ]
}

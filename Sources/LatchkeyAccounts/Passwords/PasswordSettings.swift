package import LatchkeyServerKit

/// Settings for password logins and for the cost of password hashes (Argon2id).
///
/// Changes to the memory or the number of passes apply to new hashes. An existing hash is replaced the next
/// time the user logs in.
public struct PasswordSettings: Sendable {
    /// The amount of memory that a single hash uses, in KiB.
    ///
    /// The value must be between 8 KiB and 4 GiB. Each of the server's ``threads`` needs this much memory.
    public var memory = 19_456

    /// The number of passes over the memory.
    ///
    /// The value must be between 1 and 100.
    public var passes = 2

    /// The number of hashes that can be computed at the same time.
    ///
    /// The value must be between 1 and 256. Each concurrent hash has its own thread.
    public var threads = 2

    /// The maximum number of passwords that can be waiting to be hashed.
    ///
    /// When the queue is full, requests are rejected with status 503.
    ///
    /// The value must be between 1 and 100,000.
    public var queue = 64

    /// Whether users can log in with a password.
    ///
    /// You can't disable both login with a password and login with a code.
    public var isLoginEnabled = true

    /// The maximum length of a password in UTF-8 bytes.
    ///
    /// The value must be between 64 and 65,536.
    public var maximumLength = 1024

    /// The path of a list of breached passwords, which is either a folder of range files or one file with all
    /// hashes.
    ///
    /// The list must use the Have I Been Pwned file format. If the path is `nil`, passwords aren't checked
    /// against a list.
    public var breaches: String?

    /// How often a new password may occur in breaches and still be accepted.
    ///
    /// The value must be between 0 and 1,000,000. A value of 0 rejects all passwords on the list.
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
            summary: "How many passwords can be waiting to be hashed; further requests get status 503."
        ),
        Setting(
            "passwords.login",
            member: \.isLoginEnabled,
            kind: .toggle,
            summary: "Whether users can log in with a password."
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
                "How often a new password may have occurred in breaches and still be accepted."
        ),
    ]
}

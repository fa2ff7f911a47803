/// A flag of a subcommand.
///
/// Flags have long names only. All flags are optional, but a subcommand can require a flag by reading it with
/// ``Arguments/required(_:)``.
struct Option: Sendable {
    /// The name without dashes.
    let name: String

    /// The placeholder for the value in help texts; `nil` for a flag without a value.
    let placeholder: String?

    /// Returns the description of the flag.
    ///
    /// The description is created lazily, because only help needs it.
    private let describe: @Sendable () -> String

    /// Creates a flag.
    ///
    /// - Parameters:
    ///   - name: The name without dashes.
    ///   - placeholder: The placeholder for the value in help texts; `nil` for a flag without a value.
    ///   - summary: The description, evaluated at each access to ``summary``.
    init(
        _ name: String,
        value placeholder: String? = nil,
        help summary: @autoclosure @escaping @Sendable () -> String
    ) {
        self.name = name
        self.placeholder = placeholder
        describe = summary
    }

    /// A one-sentence description.
    var summary: String { describe() }

    /// The flag with its dashes.
    var flag: String { "--" + name }
}

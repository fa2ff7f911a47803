/// A flag of a subcommand.
///
/// Flags only have long names. A flag is optional unless the subcommand reads it with
/// ``Arguments/required(_:)``.
struct Option: Sendable {
    /// The flag name without dashes.
    let name: String

    /// The placeholder that stands for the value in help texts, or `nil` if the flag doesn't take a value.
    let placeholder: String?

    /// Returns the description of the flag.
    ///
    /// This is a closure because only the help command needs the description.
    private let describe: @Sendable () -> String

    /// Creates a flag.
    ///
    /// - Parameters:
    ///   - name: The flag name without dashes.
    ///   - placeholder: The placeholder that stands for the value in help texts, or `nil` if the flag doesn't
    ///     take a value.
    ///   - summary: The description. This expression is evaluated whenever ``summary`` is accessed.
    init(
        _ name: String,
        value placeholder: String? = nil,
        help summary: @autoclosure @escaping @Sendable () -> String
    ) {
        self.name = name
        self.placeholder = placeholder
        describe = summary
    }

    /// A one-sentence description for the help page.
    var summary: String { describe() }

    /// The flag as written on the command line, including the dashes.
    var flag: String { "--" + name }
}

import LatchkeyServer

/// Prints a reference page for all settings.
struct ConfigReferenceCommand: Subcommand {
    let syntax = Syntax(
        name: "config reference",
        summary: "print a Markdown page that describes all settings",
        details: ["Lists all settings with their accepted values and default values."],
        examples: [("config reference > configuration.md", "The reference for the installed version")]
    )

    /// Prints ``ConfigurationReference/page``.
    ///
    /// The command doesn't read the configuration, so it also works if the configuration is invalid.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        console.write(page: ConfigurationReference.page)
    }
}

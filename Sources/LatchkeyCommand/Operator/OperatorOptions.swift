/// Flags that all operator commands accept in addition to the settings.
enum OperatorOptions {
    /// The flag `--admin-url`, which overrides the environment variable `LATCHKEY_ADMIN_URL`.
    static let url = Option(
        "admin-url",
        value: "URL",
        help:
            "The admin listener of a running server. Without it, the command works on the data directly. Environment variable: LATCHKEY_ADMIN_URL. The admin token is read from the data folder or from --admin-token-file."
    )

    /// The flags for the output, the running server and the data, in the order in which help texts list them.
    static let all =
        [Option("json", help: "Print JSON."), url]
        + ConfigurationOptions.all.filter { $0.name == "admin-token-file" } + ConfigurationOptions.locations

    /// The paragraph on each command's help page that explains where the command gets its data from.
    static let detail =
        "Works directly on the configured data, even if no server is running. With --admin-url, uses the admin API of a running server instead."
}

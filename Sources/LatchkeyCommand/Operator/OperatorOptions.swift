/// The flags that all of the operator's commands accept in addition to settings.
enum OperatorOptions {
    /// The flag `--admin-url`, which takes precedence over the variable `LATCHKEY_ADMIN_URL`.
    static let url = Option(
        "admin-url",
        value: "URL",
        help:
            "The admin listener of a running server. Without it, the command works on the data directly. Environment variable: LATCHKEY_ADMIN_URL. The admin token is read from the data folder or from --admin-token-file."
    )

    /// The flags for the output, the running server and the data, in the order of help.
    static let all =
        [Option("json", help: "Print JSON."), url]
        + ConfigurationOptions.all.filter { $0.name == "admin-token-file" } + ConfigurationOptions.locations

    /// The sentence in each command's help page that states which data the command uses.
    static let detail =
        "Works directly on the configured data, whether or not a server is running, or through the admin API at --admin-url."
}

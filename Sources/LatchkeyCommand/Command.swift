@main struct Command { static func main() {} }

# Installs the installer named without a window, has Spanlight check itself, removes it and looks at what is left:
#   pwsh packaging/windows/check_install.ps1 dist/spanlight-VERSION-windows-x86_64.exe
param([Parameter(Mandatory = $true)][string] $Installer)
$ErrorActionPreference = 'Stop'

$folder = Join-Path $env:LOCALAPPDATA 'Programs' 'Spanlight'
$list = 'HKCU:\Software\Microsoft\Windows\CurrentVersion\Uninstall\Spanlight'
$menu = Join-Path $env:APPDATA 'Microsoft\Windows\Start Menu\Programs\Spanlight.lnk'
$env:SPANLIGHT_HOME = Join-Path ([IO.Path]::GetTempPath()) "spanlight-check-$PID"
$path = [Environment]::GetEnvironmentVariable('Path', 'User')

function Assert {
    param([bool] $Holds, [string] $Otherwise)
    if (-not $Holds) { throw $Otherwise }
}

Assert (-not (Test-Path $folder)) "$folder is there already: it would be replaced."
Write-Host '== install'
$done = Start-Process (Resolve-Path $Installer) '/S' -Wait -PassThru
Assert ($done.ExitCode -eq 0) "The installer ended with $($done.ExitCode)."
Assert (Test-Path $menu) 'There is no entry in the Start menu.'
Assert ((Get-ItemProperty $list).InstallLocation -eq $folder) 'The list of programs does not name its folder.'

Write-Host '== what is installed checks itself, as the command of a new terminal'
$env:Path = [Environment]::GetEnvironmentVariable('Path', 'User') + ';' + $env:Path
Assert ((Get-Command spanlight).Source -eq (Join-Path $folder 'spanlight.com')) 'The command is another program.'
& spanlight --version
Assert ($LASTEXITCODE -eq 0) "spanlight --version ended with $LASTEXITCODE."
& spanlight --check
Assert ($LASTEXITCODE -eq 0) "spanlight --check ended with $LASTEXITCODE."

Write-Host '== the same version over it'
$done = Start-Process (Resolve-Path $Installer) '/S' -Wait -PassThru
Assert ($done.ExitCode -eq 0) "The installer ended with $($done.ExitCode) over an older version."

Write-Host '== remove'
Start-Process (Join-Path $folder 'uninstall-spanlight.exe') '/S' -Wait
# It goes on in a copy of itself, since it deletes its own file.
foreach ($second in 1..60) {
    if (-not (Test-Path $folder)) { break }
    Start-Sleep 1
}
if (Test-Path $folder) {
    Get-ChildItem $folder -Recurse | ForEach-Object { Write-Host $_.FullName }
    throw "$folder is left."
}
Assert (-not (Test-Path $menu)) 'The entry in the Start menu is left.'
Assert (-not (Test-Path $list)) 'It is still in the list of programs.'
Assert ([Environment]::GetEnvironmentVariable('Path', 'User') -eq $path) 'The list of folders with commands is not as it was.'
$keys = 'HKCU:\Software\Spanlight', 'HKCU:\Software\Classes\Spanlight.Document',
    'HKCU:\Software\Classes\Applications\spanlight.exe'
foreach ($key in $keys) { Assert (-not (Test-Path $key)) "$key is left in the registry." }

Write-Host 'Nothing is left but the data below SPANLIGHT_HOME:'
if (Test-Path $env:SPANLIGHT_HOME) {
    Get-ChildItem $env:SPANLIGHT_HOME -Recurse -File | ForEach-Object { Write-Host "  $($_.FullName)" }
    Remove-Item $env:SPANLIGHT_HOME -Recurse -Force
}

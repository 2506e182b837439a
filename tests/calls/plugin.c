int plugin(int n);
int plugin(int n)
{
	return n + 1;
}
